package io.konduit.queue.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An operator paused or resumed a queue. */
public record QueueDecision(
        long id,
        String queue,
        QueueAction action,
        String actor,
        @Nullable String note,
        Instant at) {}
