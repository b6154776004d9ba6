package io.konduit.queue.recovery;

import io.konduit.queue.recovery.OrphanReclaimer.Surroundings;
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
 * Takes tasks away that have made no progress for very long, even though their worker still beats.
 *
 * <ol>
 *   <li>Finds running tasks whose last checkpoint in this run, or whose claim, is older than the threshold.
 *   <li>Takes them back as the reaper does, classified as abandoned. If the node dies, the next pass finds the rest.
 * </ol>
 */
public final class AbandonedLeaseCleaner {
    private static final Logger log = LoggerFactory.getLogger(AbandonedLeaseCleaner.class);

    private final ReclaimRepository tasks;
    private final ReclaimPolicy policy;
    private final Duration threshold;
    private final Surroundings surroundings;

    public AbandonedLeaseCleaner(
            ReclaimRepository tasks, ReclaimPolicy policy, Duration threshold, Surroundings surroundings) {
        this.tasks = tasks;
        this.policy = policy;
        this.threshold = threshold;
        this.surroundings = surroundings;
    }

    /** How long without progress counts as abandoned; zero when nothing does. */
    public Duration threshold() {
        return threshold;
    }

    /** One pass over all abandoned tasks there are. */
    public ReclaimResult cleanOnce() {
        return cleanOnce(surroundings.actor(), null);
    }

    /** One pass in a person's name. */
    public ReclaimResult cleanOnce(Author author) {
        return cleanOnce(author.actor(), author);
    }

    private ReclaimResult cleanOnce(String actor, @Nullable Author author) {
        Terms terms = new Terms(
                tasks.moment(),
                policy.grace(),
                threshold,
                policy.quarantineAfter(),
                policy.backoff(),
                policy.backoffCap(),
                actor,
                author);
        ReclaimReport report = new ReclaimReport(surroundings.events(), surroundings.monitor(), surroundings.wakeUp());
        try {
            cleanAll(terms, report);
        } finally {
            // also when a later batch failed: what was done before it is done
            report.tell("abandoned");
        }
        return report.result();
    }

    /** Batch by batch in the order of ids: rows that cannot be taken now must not hide later ones. */
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
