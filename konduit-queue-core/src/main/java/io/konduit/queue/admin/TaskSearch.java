package io.konduit.queue.admin;

import io.konduit.queue.TaskStatus;
import org.jspecify.annotations.Nullable;

/**
 * The search criteria; null means any.
 *
 * @param key the unique key, together with its queue
 */
public record TaskSearch(
        @Nullable TaskStatus status,
        @Nullable String queue,
        @Nullable String type,
        @Nullable String key) {}
