package io.konduit.queue.leader;

import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.log.LogThrottle;
import io.konduit.queue.settings.LeaderSettings;
import io.konduit.queue.store.ChoreRepository;
import io.konduit.queue.thread.Jitter;
import io.konduit.queue.thread.Phases;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Runs chores on the leading instance, on its own scheduler.
 *
 * <p>A vital chore also runs once at start-up, on every instance while the lock store does not answer (spread by
 * jitter), and on a follower when no pass has been recorded for two intervals. Any other chore is due one interval
 * after its last recorded pass on any instance: restarts and changes of leader do not postpone it.
 */
public final class LeaderOnlyScheduler implements SmartLifecycle {
    /** The name of the leader's lock. */
    public static final String LOCK_NAME = "konduit-queue-leader";

    private static final Logger log = LoggerFactory.getLogger(LeaderOnlyScheduler.class);
    private static final int PATIENCE_IN_INTERVALS = 2;
    private static final Duration LAST_PASS = Duration.ofSeconds(5);
    private static final Duration LOOK_AROUND = Duration.ofMinutes(1);

    private static final String DATABASE = "database";
    private static final String OVERDUE = "overdue ";

    private final LogThrottle throttle;
    private final Leadership leadership;
    private final LeaderSettings settings;
    private final ChoreRepository passes;
    private final List<Chore> chores;
    private final Jitter jitter;
    private final LongSupplier nanoTime;
    private final BooleanSupplier quiet;
    private boolean renewed;
    private long renewedNanos;
    private @Nullable ThreadPoolTaskScheduler vital;
    private @Nullable ThreadPoolTaskScheduler housekeeping;

    public LeaderOnlyScheduler(
            Leadership leadership, ChoreRepository passes, List<Chore> chores, LongSupplier nanoTime, Jitter jitter) {
        this(leadership, passes, chores, nanoTime, jitter, () -> false);
    }

    /**
     * @param quiet whether no task runs anywhere, so that a follower need not look for the leader's death so often
     */
    public LeaderOnlyScheduler(
            Leadership leadership,
            ChoreRepository passes,
            List<Chore> chores,
            LongSupplier nanoTime,
            Jitter jitter,
            BooleanSupplier quiet) {
        this.nanoTime = nanoTime;
        this.quiet = quiet;
        this.throttle = new LogThrottle(nanoTime);
        this.leadership = leadership;
        this.settings = leadership.settings();
        this.passes = passes;
        this.chores = List.copyOf(chores);
        this.jitter = jitter;
    }

    /** What this instance knows about its leadership. */
    public LeadershipState state() {
        return leadership.state();
    }

    @Override
    public synchronized void start() {
        if (vital != null) {
            return;
        }
        // the lock and the vital chore never wait for each other; housekeeping waits for both
        vital = scheduler(
                "konduit-leader-",
                1 + (int) chores.stream().filter(Chore::isUrgent).count());
        housekeeping = scheduler("konduit-chore-", 1);
        repeat(vital, this::renew, Duration.ZERO);
        for (Chore chore : chores) {
            if (chore.isVital()) {
                AtomicBoolean started = new AtomicBoolean();
                // L6: orphans from before the start are found at once, on every instance
                repeat(vital, () -> started.getAndSet(true) ? tick(chore) : runNow(chore), Duration.ZERO);
            } else if (!isGrouped(chore)) {
                repeat(
                        chore.isUrgent() ? vital : housekeeping,
                        () -> tick(chore),
                        jittered(shorter(chore.interval(), LOOK_AROUND)));
            }
        }
        List<Chore> recorded =
                chores.stream().filter(LeaderOnlyScheduler::isGrouped).toList();
        if (!recorded.isEmpty()) {
            Duration first = recorded.stream()
                    .map(Chore::interval)
                    .min(Duration::compareTo)
                    .orElse(LOOK_AROUND);
            repeat(housekeeping, () -> tickRecorded(recorded), jittered(shorter(first, LOOK_AROUND)));
        }
    }

    private static boolean isGrouped(Chore chore) {
        return chore.isRecorded() && !chore.isUrgent() && !chore.isVital();
    }

    @Override
    public synchronized void stop() {
        if (vital != null && housekeeping != null) {
            housekeeping.shutdown();
            vital.shutdown();
            vital = null;
            housekeeping = null;
            release();
        }
    }

    /** E2: releases the lock. */
    void release() {
        leadership.release();
    }

    @Override
    public synchronized boolean isRunning() {
        return vital != null;
    }

    @Override
    public int getPhase() {
        return Phases.CHORES;
    }

    /** One step of the lock; returns when to take the next. */
    Duration renew() {
        long now = nanoTime.getAsLong();
        if (renewed
                && leadership.state() == LeadershipState.NOT_LEADER
                && now - renewedNanos < settings.renewInterval().toNanos()
                && quiet.getAsBoolean()) {
            return jittered(settings.acquireRetryInterval());
        }
        renewed = true;
        renewedNanos = now;
        LeadershipState state = leadership.renew();
        return state == LeadershipState.LEADER ? settings.renewInterval() : jittered(settings.acquireRetryInterval());
    }

    /** Runs the chore if it is due and this instance should run it; returns when to check again. */
    Duration tick(Chore chore) {
        if (chore.isVital()) {
            return isOurTurn(chore) ? runNow(chore) : jittered(chore.interval());
        }
        Duration next = jittered(chore.interval());
        if (leadership.state() == LeadershipState.LEADER
                && (!chore.isRecorded() || isPastSince(chore, mostOf(chore.interval())))) {
            next = runNow(chore);
        }
        return shorter(next, jittered(LOOK_AROUND));
    }

    /** The same for all recorded chores that are housekeeping, with one look at the records. */
    Duration tickRecorded(List<Chore> recorded) {
        Duration next = LOOK_AROUND;
        Map<String, Duration> since = Map.of();
        if (leadership.state() == LeadershipState.LEADER) {
            try {
                since = passes.sinceLastPasses();
            } catch (DataAccessException e) {
                log.debug("When the chores last ran cannot be read now", e);
                return jittered(LOOK_AROUND);
            }
        }
        for (Chore chore : recorded) {
            if (leadership.state() == LeadershipState.LEADER
                    && isDue(since.get(chore.name()), mostOf(chore.interval()))) {
                runNow(chore);
            }
            next = shorter(next, chore.interval());
        }
        return jittered(next);
    }

    /** A pass in the future was recorded before the database's clock was set back. */
    private static boolean isDue(@Nullable Duration since, Duration interval) {
        return since == null || since.isNegative() || since.compareTo(interval) >= 0;
    }

    private boolean isOurTurn(Chore chore) {
        return switch (leadership.state()) {
            case LEADER, STORE_UNAVAILABLE -> true;
            case NOT_LEADER -> isOverdue(chore);
        };
    }

    /** L10: whether the leader, on any instance, has not run this for two intervals. */
    private boolean isOverdue(Chore chore) {
        boolean overdue = isPastSince(chore, chore.interval().multipliedBy(PATIENCE_IN_INTERVALS));
        if (overdue && throttle.isDue(OVERDUE + chore.name())) {
            log.warn("No instance has run '{}' for {} intervals: this one does", chore.name(), PATIENCE_IN_INTERVALS);
        }
        return overdue;
    }

    private boolean isPastSince(Chore chore, Duration time) {
        try {
            return passes.sinceLastPass(chore.name())
                    .map(since -> isDue(since, time))
                    .orElse(true);
        } catch (DataAccessException e) {
            log.debug("When '{}' last ran cannot be read now", chore.name(), e);
            return false;
        }
    }

    /** Runs the chore regardless of leadership; returns when to check again. */
    Duration runNow(Chore chore) {
        try {
            Duration next = chore.run();
            if (chore.isRecorded()) {
                passes.recordPass(chore.name(), leadership.worker());
            }
            return next;
        } catch (RuntimeException | Error e) {
            tell(chore, e);
            return jittered(chore.interval());
        }
    }

    /** While the database is unavailable every chore fails: the vital one logs it, and one of the others. */
    private void tell(Chore chore, Throwable error) {
        boolean away = error instanceof RuntimeException failure && DatabaseErrors.mayPass(failure);
        String duringOutage = chore.isVital() ? chore.name() : DATABASE;
        if (throttle.isDue(away ? duringOutage : chore.name() + error.getClass().getName())) {
            log.warn(
                    "'{}' failed and will be retried: {}",
                    chore.name(),
                    away ? DatabaseErrors.summary(error) : error.toString());
        } else {
            log.debug("'{}' failed and is tried again", chore.name(), error);
        }
    }

    /** Repeats a step, each time after the wait that the previous step returned. */
    private static void repeat(ThreadPoolTaskScheduler scheduler, Supplier<Duration> step, Duration first) {
        AtomicReference<Duration> wait = new AtomicReference<>(first);
        scheduler.schedule(
                () -> {
                    try {
                        wait.set(step.get());
                    } catch (RuntimeException | Error e) {
                        goOn(e);
                    }
                },
                context -> context.getClock().instant().plus(wait.get()));
    }

    /** An error that left the step would end the repetition, even one from logging. */
    private static void goOn(Throwable error) {
        try {
            log.error("A step of the leader's schedule failed unexpectedly and will be repeated", error);
        } catch (RuntimeException | Error e) {
            // the next step is more important than this message
        }
    }

    private static ThreadPoolTaskScheduler scheduler(String prefix, int threads) {
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setThreadNamePrefix(prefix);
        scheduler.setPoolSize(threads);
        scheduler.setDaemon(true);
        // a running pass may finish; scheduled ones are not waited for
        scheduler.setWaitForTasksToCompleteOnShutdown(true);
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        scheduler.setAwaitTerminationMillis(LAST_PASS.toMillis());
        scheduler.initialize();
        return scheduler;
    }

    /** Tolerance, so that a check slightly ahead of time does not count as too early. */
    private static Duration mostOf(Duration interval) {
        return interval.multipliedBy(9).dividedBy(10);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private Duration jittered(Duration interval) {
        return jitter.of(interval, 0.8);
    }
}
