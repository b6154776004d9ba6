package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.QueueDecision;
import io.konduit.queue.admin.QueueOverview;
import io.konduit.queue.admin.QueueState;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** Queues as callers see them. */
final class QueueViews {
    private QueueViews() {}

    record Overview(
            Instant readAt,
            List<QueueState> queues,
            WorkerCount workers,
            @Nullable String leader,
            @Nullable String lastReaper,
            long held,
            long zombiesAboveLimit,
            int zombieLimit,
            @Nullable Double oldestDueSeconds,
            @Nullable Double oldestExpiredLeaseSeconds,
            @Nullable Double secondsSinceReaper,
            List<String> pausedQueues)
            implements OperationResponseBody {

        static Overview of(QueueOverview found) {
            return new Overview(
                    found.readAt(),
                    found.queues(),
                    new WorkerCount(
                            found.activeWorkers(), found.staleWorkers(), found.drainingWorkers(), found.slots()),
                    found.leader(),
                    Objects.toString(found.lastReaper(), null),
                    found.held(),
                    found.zombiesAboveLimit(),
                    found.zombieLimit(),
                    found.oldestDueSeconds(),
                    found.oldestExpiredLeaseSeconds(),
                    found.secondsSinceReaper(),
                    found.queues().stream()
                            .filter(queue -> queue.paused() != null)
                            .map(QueueState::name)
                            .toList());
        }
    }

    record WorkerCount(int active, int stale, int draining, int slots) {}

    record Queues(List<QueueState> queues) implements OperationResponseBody {}

    record Decisions(List<QueueDecision> decisions) implements OperationResponseBody {}

    record QueueChange(String queue, boolean paused, String actor) implements OperationResponseBody {}
}
