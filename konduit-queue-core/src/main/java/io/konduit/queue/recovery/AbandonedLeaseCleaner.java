package io.konduit.queue.recovery;

import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.ReclaimRepository.Reclaimed;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reclaims tasks that have made no progress for a very long time, although their worker still sends heartbeats.
 *
 * <ol>
 *   <li>Finds running tasks whose last checkpoint in this run, or whose claim, is older than the threshold.
 *   <li>Reclaims them as the reaper does, classified as abandoned. If the node dies, the next pass finds the rest.
 * </ol>
 */
public final class AbandonedLeaseCleaner {
    private static final Logger log = LoggerFactory.getLogger(AbandonedLeaseCleaner.class);

    private final ReclaimRepository tasks;
    private final Duration threshold;
    private final int pageSize;
    private final ReclaimPass pass;

    public AbandonedLeaseCleaner(
            ReclaimRepository tasks, ReclaimPolicy policy, Duration threshold, ReclaimEvents events) {
        this.tasks = tasks;
        this.threshold = threshold;
        // one batch a page: few tasks are abandoned
        this.pageSize = policy.batchSize();
        this.pass = new ReclaimPass(tasks, policy, events);
    }

    /** The time without progress that counts as abandoned; zero when disabled. */
    public Duration threshold() {
        return threshold;
    }

    /** One pass over all abandoned tasks. */
    public ReclaimResult cleanOnce() {
        return clean(null);
    }

    /** One pass on behalf of an operator. */
    public ReclaimResult cleanOnce(Author author) {
        return clean(author);
    }

    private ReclaimResult clean(@Nullable Author author) {
        return pass.run(
                "abandoned",
                pass.terms(tasks.serverTime(), threshold, author),
                pageSize,
                (last, limit) -> tasks.findAbandoned(threshold, last, limit),
                AbandonedLeaseCleaner::warn);
    }

    private static void warn(List<Reclaimed> taken) {
        for (Reclaimed task : taken) {
            log.warn(
                    "Task {} ({}) had made no progress and was taken from worker {}",
                    task.taskId(),
                    task.type(),
                    task.previousOwner());
        }
    }
}
