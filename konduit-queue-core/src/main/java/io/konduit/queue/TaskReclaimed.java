package io.konduit.queue;

import java.util.UUID;

/** A task was taken from a worker whose lease had ended, and is back in the queue. */
public record TaskReclaimed(
        TaskId id,
        String type,
        String queue,
        UUID previousOwner,
        long leaseEpoch,
        int zombieCount,
        boolean abandoned) {}
