package io.konduit.queue.recovery;

import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.ReclaimRepository.Expired;
import io.konduit.queue.store.ReclaimRepository.Reclaimed;
import io.konduit.queue.store.ReclaimRepository.Terms;
import io.konduit.queue.store.ServerTime;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One pass over the tasks that a search finds: page by page, each page reclaimed in batches, each batch one statement. The
 * next page begins after the last, because rows that cannot be taken now must not hide later ones.
 */
final class ReclaimPass {
    private final ReclaimRepository tasks;
    private final ReclaimPolicy policy;
    private final ReclaimEvents events;

    ReclaimPass(ReclaimRepository tasks, ReclaimPolicy policy, ReclaimEvents events) {
        this.tasks = tasks;
        this.policy = policy;
        this.events = events;
    }

    /** Finds what to reclaim, after the previous page's {@code last}. */
    interface Search {
        List<Expired> page(Expired last, int limit);
    }

    /** Receives each batch once it is reclaimed. */
    interface Listener {
        void reclaimed(List<Reclaimed> batch);
    }

    /**
     * @param abandonedAfter null for tasks whose lease has ended
     * @param author the operator on whose behalf this is done; null for the chore
     */
    Terms terms(ServerTime serverTime, @Nullable Duration abandonedAfter, @Nullable Author author) {
        return new Terms(
                serverTime,
                policy.grace(),
                abandonedAfter,
                policy.quarantineAfter(),
                policy.backoff(),
                policy.backoffCap(),
                author == null ? events.actor() : author.actor(),
                author);
    }

    /**
     * @param what the kind of tasks, for the log
     */
    ReclaimResult run(String what, Terms terms, int pageSize, Search search, Listener listener) {
        ReclaimReport report = events.newReport();
        try {
            Expired last = Expired.FIRST;
            List<Expired> page;
            do {
                page = search.page(last, pageSize);
                for (int from = 0; from < page.size(); from += policy.batchSize()) {
                    List<Expired> batch = page.subList(from, Math.min(page.size(), from + policy.batchSize()));
                    List<Reclaimed> taken = tasks.reclaim(batch, terms);
                    listener.reclaimed(taken);
                    report.add(batch.size(), taken);
                }
                last = page.isEmpty() ? last : page.get(page.size() - 1);
            } while (page.size() == pageSize);
        } finally {
            // also when a later batch failed: the earlier batches are committed
            report.tell(what);
        }
        return report.result();
    }
}
