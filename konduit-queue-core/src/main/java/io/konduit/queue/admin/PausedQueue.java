package io.konduit.queue.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A queue whose tasks are not claimed. */
public record PausedQueue(
        String name,
        Instant pausedAt,
        String pausedBy,
        @Nullable String note) {}
