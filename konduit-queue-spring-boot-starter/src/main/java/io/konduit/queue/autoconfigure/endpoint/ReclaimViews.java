package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.AbandonedTasks;
import io.konduit.queue.admin.Orphan;
import io.konduit.queue.admin.ReclaimResult;
import java.time.Instant;
import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** Orphans, and what became of them. */
final class ReclaimViews {
    private ReclaimViews() {}

    record OrphanView(
            long id,
            String queue,
            String type,
            String owner,
            long leaseEpoch,
            Instant leaseStartedAt,
            Instant leaseEndedAt,
            int zombieCount,
            String wouldBecome) {

        static OrphanView of(Orphan found) {
            return new OrphanView(
                    found.id().value(),
                    found.queue(),
                    found.type(),
                    found.owner().toString(),
                    found.leaseEpoch(),
                    found.leaseStartedAt(),
                    found.leaseEndedAt(),
                    found.zombieCount(),
                    found.wouldBeHeld() == null ? "PENDING" : "HELD (" + found.wouldBeHeld() + ")");
        }
    }

    record Orphans(List<OrphanView> orphans) implements OperationResponseBody {}

    record DryRun(boolean dryRun, List<OrphanView> orphans) implements OperationResponseBody {}

    record Reclaim(
            boolean dryRun,
            int reclaimed,
            int held,
            int quarantined,
            int busy,
            double postponedSeconds,
            String explanation)
            implements OperationResponseBody {

        static Reclaim of(ReclaimResult result, String explanation) {
            return new Reclaim(
                    false,
                    result.reclaimed(),
                    result.held(),
                    result.quarantined(),
                    result.busy(),
                    result.postponed().toMillis() / 1000.0,
                    explanation);
        }
    }

    record AbandonedDryRun(boolean dryRun, long count, List<OrphanView> abandoned) implements OperationResponseBody {

        static AbandonedDryRun of(AbandonedTasks found) {
            return new AbandonedDryRun(
                    true,
                    found.count(),
                    found.first().stream().map(OrphanView::of).toList());
        }
    }
}
