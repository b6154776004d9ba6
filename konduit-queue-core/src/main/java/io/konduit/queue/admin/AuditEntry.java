package io.konduit.queue.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An operator's action on many tasks at once, on a worker or on a schedule. A bulk action has one entry per batch.
 *
 * @param target the worker or schedule, if the action concerned one
 * @param filter the filter of the request, as JSON
 * @param changed how many rows it changed
 */
public record AuditEntry(
        long id,
        Instant at,
        String actor,
        AuditAction action,
        @Nullable String target,
        @Nullable String filter,
        int changed,
        @Nullable String note) {}
