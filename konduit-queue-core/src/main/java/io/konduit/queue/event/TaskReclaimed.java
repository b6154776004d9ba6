package io.konduit.queue.event;

import io.konduit.queue.TaskId;
import java.util.UUID;

/** A task whose lease had expired was reclaimed and is back in the queue. */
public record TaskReclaimed(
        TaskId id,
        String type,
        String queue,
        UUID previousOwner,
        long leaseEpoch,
        int zombieCount,
        boolean abandoned) {}
