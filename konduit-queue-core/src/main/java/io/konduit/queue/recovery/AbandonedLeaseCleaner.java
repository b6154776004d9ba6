package io.konduit.queue.recovery;

import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.ReclaimRepository.Expired;
import io.konduit.queue.store.ReclaimRepository.Reclaimed;
import io.konduit.queue.store.ReclaimRepository.Terms;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reclaims tasks that have made no progress for very long, even though their worker still beats.
 *
 * <ol>
 *   <li>Finds running tasks whose last checkpoint in this run, or whose claim, is older than the threshold.
 *   <li>Reclaims them as the reaper does, classified as abandoned. If the node dies, the next pass finds the rest.
 * </ol>
 */
public final class AbandonedLeaseCleaner {
    private static final Logger log = LoggerFactory.getLogger(AbandonedLeaseCleaner.class);

    private final ReclaimRepository tasks;
    private final ReclaimPolicy policy;
    private final Duration threshold;
    private final ReclaimEvents events;

    public AbandonedLeaseCleaner(
            ReclaimRepository tasks, ReclaimPolicy policy, Duration threshold, ReclaimEvents events) {
        this.tasks = tasks;
        this.policy = policy;
        this.threshold = threshold;
        this.events = events;
    }

    /** The time without progress that counts as abandoned; zero when disabled. */
    public Duration threshold() {
        return threshold;
    }

    /** One pass over all abandoned tasks. */
    public ReclaimResult cleanOnce() {
        return cleanOnce(events.actor(), null);
    }

    /** One pass on behalf of an operator. */
    public ReclaimResult cleanOnce(Author author) {
        return cleanOnce(author.actor(), author);
    }

    private ReclaimResult cleanOnce(String actor, @Nullable Author author) {
        Terms terms = new Terms(
                tasks.serverTime(),
                policy.grace(),
                threshold,
                policy.quarantineAfter(),
                policy.backoff(),
                policy.backoffCap(),
                actor,
                author);
        ReclaimReport report = events.newReport();
        try {
            cleanAll(terms, report);
        } finally {
            // also when a later batch failed: the earlier batches are committed
            report.tell("abandoned");
        }
        return report.result();
    }

    /** Batch by batch in id order: rows that cannot be taken now must not hide later ones. */
    private void cleanAll(Terms terms, ReclaimReport report) {
        Expired last = Expired.FIRST;
        List<Expired> found;
        do {
            found = tasks.findAbandoned(threshold, last, policy.batchSize());
            List<Reclaimed> taken = found.isEmpty() ? List.of() : tasks.reclaim(found, terms);
            for (Reclaimed task : taken) {
                log.warn(
                        "Task {} ({}) had made no progress and was taken from worker {}",
                        task.taskId(),
                        task.type(),
                        task.previousOwner());
            }
            report.add(found.size(), taken);
            last = found.isEmpty() ? last : found.get(found.size() - 1);
        } while (found.size() == policy.batchSize());
    }
}
