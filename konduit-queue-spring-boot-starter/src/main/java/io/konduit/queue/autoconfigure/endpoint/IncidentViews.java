package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.Incident;
import io.konduit.queue.admin.IncidentCount;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** Incidents as callers see them. */
final class IncidentViews {
    private IncidentViews() {}

    record IncidentView(
            long id,
            long task,
            String queue,
            String type,
            String classification,
            String action,
            String actor,
            @Nullable String note,
            @Nullable String previousOwner,
            long leaseEpoch,
            @Nullable Instant leaseStartedAt,
            @Nullable Instant leaseEndedAt,
            Instant detectedAt,
            @Nullable Long detectionDelayMillis,
            int attempts,
            int zombieCount,
            @Nullable String lateOutcome,
            @Nullable Instant lateOutcomeAt,
            @Nullable String outcome,
            @Nullable Instant outcomeAt,
            @Nullable Instant witnessGoneAt,
            @Nullable Instant lastBeatAt) {

        static IncidentView of(Incident found) {
            return new IncidentView(
                    found.id(),
                    found.taskId().value(),
                    found.queue(),
                    found.type(),
                    found.classification().name(),
                    found.action().name(),
                    found.actor(),
                    found.note(),
                    Objects.toString(found.previousOwner(), null),
                    found.leaseEpoch(),
                    found.leaseStartedAt(),
                    found.leaseEndedAt(),
                    found.detectedAt(),
                    found.detectionDelay() == null
                            ? null
                            : found.detectionDelay().toMillis(),
                    found.attempts(),
                    found.zombieCount(),
                    Objects.toString(found.lateOutcome(), null),
                    found.lateOutcomeAt(),
                    Objects.toString(found.outcome(), null),
                    found.outcomeAt(),
                    found.witnessGoneAt(),
                    found.lastBeatAt());
        }
    }

    record IncidentCountView(
            String type,
            String classification,
            String action,
            long incidents,
            long completed,
            long failed,
            long cancelled,
            long open,
            long workerWasAlive) {

        static IncidentCountView of(IncidentCount found) {
            return new IncidentCountView(
                    found.type(),
                    found.classification().name(),
                    found.action().name(),
                    found.incidents(),
                    found.completed(),
                    found.failed(),
                    found.cancelled(),
                    found.open(),
                    found.workerWasAlive());
        }
    }

    record Incidents(
            long sinceSeconds,
            @Nullable List<IncidentCountView> counts,
            List<IncidentView> incidents,
            @Nullable String next)
            implements OperationResponseBody {}
}
