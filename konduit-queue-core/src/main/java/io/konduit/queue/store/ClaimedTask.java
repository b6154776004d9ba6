package io.konduit.queue.store;

import java.time.Duration;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * A task as the claim returned it.
 *
 * @param runAt by the database's clock, for the order and the lower bound of the next claim
 * @param timeout null when the request named none
 * @param scheduledFor the nominal time that it is for; null when no schedule has made it
 * @param waited the time from due to claimed
 */
public record ClaimedTask(
        Lease lease,
        String queue,
        String type,
        String payload,
        int priority,
        OffsetDateTime runAt,
        int attempt,
        int maxAttempts,
        boolean reapable,
        Duration lockTimeout,
        @Nullable Duration timeout,
        @Nullable String checkpoint,
        @Nullable String traceContext,
        OffsetDateTime createdAt,
        @Nullable OffsetDateTime scheduledFor,
        Duration waited) {
    /** A task that no schedule has made. */
    public ClaimedTask(
            Lease lease,
            String queue,
            String type,
            String payload,
            int priority,
            OffsetDateTime runAt,
            int attempt,
            int maxAttempts,
            boolean reapable,
            Duration lockTimeout,
            @Nullable Duration timeout,
            @Nullable String checkpoint,
            @Nullable String traceContext,
            OffsetDateTime createdAt,
            Duration waited) {
        this(
                lease,
                queue,
                type,
                payload,
                priority,
                runAt,
                attempt,
                maxAttempts,
                reapable,
                lockTimeout,
                timeout,
                checkpoint,
                traceContext,
                createdAt,
                null,
                waited);
    }

    public long id() {
        return lease.taskId();
    }

    /** Its approximate size in memory. */
    public long size() {
        return payload.length() + (checkpoint == null ? 0 : checkpoint.length());
    }

    /** Without payload and checkpoint, which are never logged. */
    @Override
    public String toString() {
        return "task " + lease.taskId() + " (" + type + ", attempt " + attempt + ")";
    }
}
