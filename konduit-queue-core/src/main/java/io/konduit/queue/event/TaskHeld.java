package io.konduit.queue.event;

import io.konduit.queue.HoldReason;
import io.konduit.queue.TaskId;
import java.util.UUID;

/** A task was reclaimed from its worker and is held for a person to decide. */
public record TaskHeld(
        TaskId id,
        String type,
        String queue,
        HoldReason reason,
        UUID previousOwner,
        long leaseEpoch,
        int zombieCount) {}
