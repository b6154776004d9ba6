package io.konduit.queue.admin;

import io.konduit.queue.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An incident: a task was taken from a worker, or changed by an operator.
 *
 * @param lateOutcome what the lost worker reported later; it was then still alive
 * @param outcome how the task ended after this; null if it has not ended yet
 * @param witnessGoneAt when the session of a worker that is gone was first missed; null if the end of the lease decided
 * @param lastBeatAt the last heartbeat of a worker that is gone
 */
public record Incident(
        long id,
        TaskId taskId,
        String queue,
        String type,
        IncidentClassification classification,
        IncidentAction action,
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
        @Nullable TaskOutcome lateOutcome,
        @Nullable Instant lateOutcomeAt,
        @Nullable TaskOutcome outcome,
        @Nullable Instant outcomeAt,
        @Nullable Instant witnessGoneAt,
        @Nullable Instant lastBeatAt) {}
