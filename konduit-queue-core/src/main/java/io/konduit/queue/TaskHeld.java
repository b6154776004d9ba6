package io.konduit.queue;

import java.util.UUID;

/** A task was taken from a worker and waits for a person. */
public record TaskHeld(
        TaskId id,
        String type,
        String queue,
        HoldReason reason,
        UUID previousOwner,
        long leaseEpoch,
        int zombieCount) {}
