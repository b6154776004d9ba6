package io.konduit.queue.recovery;

import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.ServerTime;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The reaper: reclaims orphans, the tasks whose lease has ended.
 *
 * <ol>
 *   <li>Reads the database's time. After an outage or clock jump the pass is postponed (H10).
 *   <li>Finds orphans, oldest first, a page at a time. Nothing has changed yet if the node dies.
 *   <li>Reclaims them in batches, each one statement with its incidents. If the node dies, whole batches are done and
 *       the next pass finds the others.
 * </ol>
 *
 * Any number of instances may do this at once: each orphan is reclaimed exactly once.
 */
public final class OrphanReclaimer {
    private static final int PAGE = 10_000;
    private static final Duration SHORTEST_SLEEP = Duration.ofMillis(50);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(1);

    private final ReclaimRepository tasks;
    private final ReclaimPolicy policy;
    private final OutageGuard guard;
    private final ReclaimEvents events;
    private final LongSupplier nanoTime;
    private final ReclaimPass pass;

    public OrphanReclaimer(
            ReclaimRepository tasks,
            ReclaimPolicy policy,
            OutageGuard guard,
            ReclaimEvents events,
            LongSupplier nanoTime) {
        this.tasks = tasks;
        this.policy = policy;
        this.guard = guard;
        this.events = events;
        this.nanoTime = nanoTime;
        this.pass = new ReclaimPass(tasks, policy, events);
    }

    /** How long an ended lease is left alone. */
    public Duration grace() {
        return policy.grace();
    }

    /** One pass over all orphans; returns how long to wait for the next, at most the interval. */
    Duration passAndPlan(Duration interval) {
        Pass passed = reclaim(null, true);
        if (!passed.result().postponed().isZero()) {
            return passed.result().postponed();
        }
        return passed.nothingExpired() ? untilExpiry(passed.millisToExpiry(), interval) : untilNextExpiry(interval);
    }

    /** One pass over all orphans. */
    public ReclaimResult reclaimOnce() {
        return reclaim(null, false).result();
    }

    /** One pass on behalf of an operator. */
    public ReclaimResult reclaimOnce(Author author) {
        return reclaim(author, false).result();
    }

    /** @param nothingExpired whether the first question showed that there are no orphans */
    private record Pass(ReclaimResult result, OptionalLong millisToExpiry, boolean nothingExpired) {}

    private Pass reclaim(@Nullable Author author, boolean onlyIfExpired) {
        try {
            Pass passed = reclaimUnlessPostponed(author, onlyIfExpired);
            events.passSucceeded();
            return passed;
        } catch (RuntimeException e) {
            guard.failed();
            events.passFailed(e);
            throw e;
        }
    }

    private Pass reclaimUnlessPostponed(@Nullable Author author, boolean onlyIfExpired) {
        long sent = nanoTime.getAsLong();
        ReclaimRepository.Look look = tasks.look();
        ServerTime serverTime = look.serverTime();
        guard.observed(serverTime, sent);
        Duration wait = guard.remaining();
        if (!wait.isZero()) {
            return new Pass(ReclaimResult.postponed(wait), look.millisToExpiry(), false);
        }
        boolean nothingExpired =
                look.millisToExpiry().isEmpty() || look.millisToExpiry().getAsLong() > 0;
        if (onlyIfExpired && nothingExpired) {
            return new Pass(new ReclaimResult(0, 0, 0, 0, Duration.ZERO), look.millisToExpiry(), true);
        }
        ReclaimResult result = pass.run(
                "orphaned",
                pass.terms(serverTime, null, author),
                PAGE,
                (last, limit) -> tasks.findExpired(serverTime, policy.grace(), last, limit),
                batch -> {});
        return new Pass(result, look.millisToExpiry(), false);
    }

    /**
     * L8: how long to sleep, at most {@code interval}, until the earliest known lease ends. Leases that end shortly
     * after one another are reclaimed together. Locked orphans are retried with a delay that grows with their age, up
     * to 1 s.
     */
    public Duration untilNextExpiry(Duration interval) {
        return untilExpiry(tasks.millisToNextExpiry(), interval);
    }

    private Duration untilExpiry(OptionalLong next, Duration interval) {
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
