package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.HeldTask;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The review inbox as callers see it. */
final class HeldViews {
    private HeldViews() {}

    record HeldView(
            long id,
            String queue,
            String type,
            String reason,
            int attempts,
            int zombieCount,
            @Nullable String uniqueKey,
            String idempotencyKey,
            Instant createdAt,
            @Nullable Instant lastCheckpointAt,
            @Nullable Instant heldAt,
            @Nullable String previousOwner,
            @Nullable Instant leaseStartedAt,
            @Nullable Instant leaseEndedAt,
            @Nullable String lateOutcome,
            @Nullable Instant lateOutcomeAt,
            @Nullable String lastErrorClass,
            @Nullable ContentView contents) {

        static HeldView of(HeldTask found, @Nullable ContentView contents) {
            return new HeldView(
                    found.id().value(),
                    found.queue(),
                    found.type(),
                    found.reason().name(),
                    found.attempts(),
                    found.zombieCount(),
                    found.uniqueKey(),
                    found.idempotencyKey(),
                    found.createdAt(),
                    found.lastCheckpointAt(),
                    found.heldAt(),
                    Objects.toString(found.previousOwner(), null),
                    found.leaseStartedAt(),
                    found.leaseEndedAt(),
                    Objects.toString(found.lateOutcome(), null),
                    found.lateOutcomeAt(),
                    found.lastError() == null ? null : found.lastError().type(),
                    contents);
        }
    }

    record Held(List<HeldView> held, @Nullable String next) implements OperationResponseBody {}
}
