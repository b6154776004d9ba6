package io.konduit.queue.recovery;

import io.konduit.queue.ReaperFailed;
import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.DatabaseMoment;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.ReclaimRepository.Expired;
import io.konduit.queue.store.ReclaimRepository.Terms;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The reaper: brings back tasks whose lease has ended.
 *
 * <ol>
 *   <li>Asks the database for its time. After an outage or clock jump the pass is put off (H10).
 *   <li>Finds orphans, oldest first, a page at a time. Nothing has changed yet if the node dies.
 *   <li>Takes them back in batches, each one statement with its incidents. If the node dies, whole batches are done and
 *       the others are found by the next pass.
 * </ol>
 *
 * Any number of instances may do this at once: each orphan is taken back exactly once.
 */
public final class OrphanReclaimer {
    private static final int PAGE = 10_000;
    private static final Duration SHORTEST_SLEEP = Duration.ofMillis(50);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(1);

    private final ReclaimRepository tasks;
    private final ReclaimPolicy policy;
    private final OutageGuard guard;
    private final Surroundings surroundings;
    private final LongSupplier nanoTime;

    /**
     * Whom the reaper tells.
     *
     * @param actor who it is, in the incidents
     * @param wakeUp gets the queues that have tasks again
     */
    public record Surroundings(
            QueueEvents events, ReclaimMonitor monitor, Consumer<Set<String>> wakeUp, String actor) {}

    public OrphanReclaimer(
            ReclaimRepository tasks,
            ReclaimPolicy policy,
            OutageGuard guard,
            Surroundings surroundings,
            LongSupplier nanoTime) {
        this.tasks = tasks;
        this.policy = policy;
        this.guard = guard;
        this.surroundings = surroundings;
        this.nanoTime = nanoTime;
    }

    /** How long after its end a lease is left alone. */
    public Duration grace() {
        return policy.grace();
    }

    /** One pass over all orphans there are. */
    public ReclaimResult reclaimOnce() {
        return reclaimOnce(surroundings.actor(), null);
    }

    /** One pass in a person's name. */
    public ReclaimResult reclaimOnce(Author author) {
        return reclaimOnce(author.actor(), author);
    }

    private ReclaimResult reclaimOnce(String actor, @Nullable Author author) {
        try {
            ReclaimResult result = pass(actor, author);
            surroundings.monitor().passSucceeded();
            return result;
        } catch (RuntimeException e) {
            guard.failed();
            surroundings.monitor().passFailed();
            surroundings.events().publish(new ReaperFailed(e.getClass().getName()));
            throw e;
        }
    }

    private ReclaimResult pass(String actor, @Nullable Author author) {
        long sent = nanoTime.getAsLong();
        DatabaseMoment moment = tasks.moment();
        guard.observed(moment, sent);
        Duration wait = guard.remaining();
        if (!wait.isZero()) {
            return ReclaimResult.postponed(wait);
        }
        Terms terms = new Terms(
                moment,
                policy.grace(),
                null,
                policy.quarantineAfter(),
                policy.backoff(),
                policy.backoffCap(),
                actor,
                author);
        ReclaimReport report = new ReclaimReport(surroundings.events(), surroundings.monitor(), surroundings.wakeUp());
        try {
            reclaimAll(terms, report);
        } finally {
            // also when a later batch failed: what was done before it is done
            report.tell("orphaned");
        }
        return report.result();
    }

    private void reclaimAll(Terms terms, ReclaimReport report) {
        Expired last = Expired.FIRST;
        List<Expired> page;
        do {
            page = tasks.findExpired(terms.moment(), policy.grace(), last, PAGE);
            for (int from = 0; from < page.size(); from += policy.batchSize()) {
                List<Expired> batch = page.subList(from, Math.min(page.size(), from + policy.batchSize()));
                report.add(batch.size(), tasks.reclaim(batch, terms));
            }
            last = page.isEmpty() ? last : page.get(page.size() - 1);
        } while (page.size() == PAGE);
    }

    /**
     * L8: how long to sleep, at most {@code interval}, until the earliest lease that is known will have ended. Leases that
     * end shortly after one another are taken together; an orphan that somebody has locked is tried again, the later the longer it has been one.
     */
    public Duration untilNextExpiry(Duration interval) {
        OptionalLong next = tasks.millisToNextExpiry();
        if (next.isEmpty()) {
            return interval;
        }
        Duration untilOrphan =
                Duration.ofMillis(next.getAsLong()).plus(policy.grace()).plusMillis(1);
        Duration sleep = untilOrphan.isNegative() ? least(untilOrphan.negated(), LONGEST_RETRY) : untilOrphan;
        return least(sleep.compareTo(SHORTEST_SLEEP) < 0 ? SHORTEST_SLEEP : sleep, interval);
    }

    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
