package io.konduit.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row of the evidence: a task was taken from a worker, or changed by a person.
 *
 * @param classification ZOMBIE, QUARANTINED, ABANDONED or OPERATOR
 * @param action RECLAIMED, HELD, RELEASED, FAILED, RETRIED or CANCELLED
 * @param lateOutcome what the lost worker reported after all; then it was alive
 * @param outcome how the task ended after this, COMPLETED, FAILED or CANCELLED; null while it has not
 */
public record Incident(
        long id,
        TaskId taskId,
        String queue,
        String type,
        String classification,
        String action,
        String actor,
        @Nullable String note,
        @Nullable UUID previousOwner,
        long leaseEpoch,
        @Nullable Instant leaseStartedAt,
        @Nullable Instant leaseEndedAt,
        Instant detectedAt,
        @Nullable Duration detectionDelay,
        int attempts,
        int zombieCount,
        @Nullable String lateOutcome,
        @Nullable Instant lateOutcomeAt,
        @Nullable String outcome,
        @Nullable Instant outcomeAt) {}
