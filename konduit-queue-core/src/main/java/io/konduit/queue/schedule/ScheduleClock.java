package io.konduit.queue.schedule;

import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.leader.LeadershipState;
import io.konduit.queue.log.LogThrottle;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.ControlReceiver;
import io.konduit.queue.store.ScheduleRepository;
import io.konduit.queue.thread.Phases;
import io.konduit.queue.thread.QueueThreads;
import io.konduit.queue.worker.ScheduleHints;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Decides when this instance fires schedules. The leader sleeps until the next one is due; a follower until it is late by
 * {@link #PATIENCE}. Without schedules it sends no statement: that there are any, it hears with the heartbeats, and from
 * the instance that makes one.
 *
 * <p>A message may arrive while the next time is being read, and a heartbeat may be older than a message. So hints only
 * bring the alarm forward; only this clock's own reading, which no message has overtaken, moves it back.
 */
public final class ScheduleClock implements SmartLifecycle, ControlReceiver, ScheduleHints.Listener {
    /** P9: how late a schedule must be before a follower fires it. */
    static final Duration PATIENCE = Duration.ofSeconds(5);
    /** Firings that are due shortly after one another share their statements. */
    static final Duration SHORTEST_SLEEP = Duration.ofMillis(20);

    private static final Duration LONGEST_RETRY = Duration.ofSeconds(1);
    private static final Duration LAST_PASS = Duration.ofSeconds(5);
    private static final String FAILED = "failed";
    private static final String LATE = "late";

    private static final Logger log = LoggerFactory.getLogger(ScheduleClock.class);

    private final Parts parts;
    private final LongSupplier nanoTime;
    private final LogThrottle throttle;
    private boolean declared;
    /** Guards everything below. */
    private final Object lock = new Object();

    private @Nullable Long alarmNanos;
    private long messages;
    private boolean awake;
    private @Nullable Thread thread;

    /**
     * What the clock needs.
     *
     * @param declares whether this instance is a worker, whose handlers declare schedules
     * @param fires whether this instance runs chores
     */
    public record Parts(
            ScheduleRepository schedules,
            DeclaredSchedules declarations,
            Supplier<ScheduleFirer> firer,
            Supplier<ScheduleUpkeep> upkeep,
            Supplier<LeadershipState> leadership,
            boolean declares,
            boolean fires) {}

    public ScheduleClock(Parts parts, LongSupplier nanoTime) {
        this.parts = parts;
        this.nanoTime = nanoTime;
        this.throttle = new LogThrottle(nanoTime);
        this.declared = !parts.declares();
    }

    @Override
    public void nextIn(@Nullable Duration time) {
        if (time != null) {
            bringForward(time);
        }
    }

    @Override
    public void changed() {
        synchronized (lock) {
            messages++;
        }
        bringForward(Duration.ZERO);
    }

    @Override
    public void receive(ControlMessage message) {
        if (message.kind() == ControlMessage.Kind.SCHEDULES) {
            changed();
        }
    }

    private void bringForward(Duration time) {
        long at = nanoTime.getAsLong() + time.toNanos();
        synchronized (lock) {
            if (alarmNanos == null || at - alarmNanos < 0) {
                alarmNanos = at;
                awake = true;
                lock.notifyAll();
            }
        }
    }

    /** One step; returns how long to sleep unless a hint comes; null without end. */
    @Nullable
    Duration step() {
        try {
            if (!declared) {
                parts.declarations().declare();
                declared = true;
                if (!parts.declarations().isEmpty()) {
                    changed();
                }
            }
            return parts.fires() ? fireIfDue() : null;
        } catch (RuntimeException e) {
            boolean away = DatabaseErrors.mayPass(e);
            if (throttle.isDue(away ? FAILED : e.getClass().getName())) {
                log.warn(
                        "Schedules cannot be declared or fired now, which will be retried: {}",
                        away ? DatabaseErrors.summary(e) : e.toString());
            }
            log.debug("Schedules cannot be declared or fired now", e);
            return LONGEST_RETRY;
        }
    }

    private @Nullable Duration fireIfDue() {
        Long alarm;
        long heard;
        synchronized (lock) {
            alarm = alarmNanos;
            heard = messages;
        }
        if (alarm == null) {
            return null;
        }
        boolean follows = parts.leadership().get() == LeadershipState.NOT_LEADER;
        Duration left = Duration.ofNanos(alarm - nanoTime.getAsLong());
        if (follows) {
            return left.plus(PATIENCE).compareTo(Duration.ZERO) > 0 ? left.plus(PATIENCE) : fireIfLate(heard);
        }
        Duration upkeep = parts.upkeep().get().untilDue();
        if (!upkeep.isNegative() && !upkeep.isZero()) {
            if (left.compareTo(Duration.ZERO) > 0) {
                return shorter(left, upkeep);
            }
        } else {
            parts.upkeep().get().run();
        }
        return left.compareTo(Duration.ZERO) > 0 ? shorter(left, ScheduleUpkeep.INTERVAL) : fireAll(heard);
    }

    private @Nullable Duration fireIfLate(long heard) {
        Optional<Duration> next = parts.schedules().untilNext();
        if (next.isPresent() && next.get().plus(PATIENCE).compareTo(Duration.ZERO) <= 0) {
            if (throttle.isDue(LATE)) {
                log.warn(
                        "A schedule is {} s late and the leader does not fire it: this instance does",
                        next.get().negated().toSeconds());
            }
            return fireAll(heard);
        }
        Duration sleep = sleepUntil(next.orElse(null), heard);
        return sleep == null ? null : longer(sleep.plus(PATIENCE), SHORTEST_SLEEP);
    }

    private @Nullable Duration fireAll(long heard) {
        int all = 0;
        int moved;
        do {
            moved = parts.firer().get().fireOnce();
            all += moved;
        } while (moved >= ScheduleFirer.BATCH);
        Duration until = parts.schedules().untilNext().orElse(null);
        if (until != null && all == 0 && until.isNegative()) {
            // locked by a transaction of the application, or another instance is faster
            until = shorter(until.negated(), LONGEST_RETRY);
        }
        return sleepUntil(until == null ? null : longer(until, SHORTEST_SLEEP), heard);
    }

    /** Sets the alarm to what was read; to now if a message has come since. */
    private @Nullable Duration sleepUntil(@Nullable Duration read, long heard) {
        synchronized (lock) {
            Duration time = messages == heard ? read : SHORTEST_SLEEP;
            alarmNanos = time == null ? null : Long.valueOf(nanoTime.getAsLong() + time.toNanos());
            return time;
        }
    }

    private void loop() {
        try {
            while (isCurrent()) {
                Duration sleep = step();
                if (sleep == null && !parts.fires()) {
                    return;
                }
                await(sleep);
            }
        } catch (InterruptedException e) {
            log.debug("The clock of the schedules has stopped");
        }
    }

    /** An interrupt may get lost in a statement. */
    private boolean isCurrent() {
        synchronized (lock) {
            return thread == Thread.currentThread();
        }
    }

    private void await(@Nullable Duration sleep) throws InterruptedException {
        long until = sleep == null ? 0 : System.nanoTime() + sleep.toNanos();
        synchronized (lock) {
            while (!awake) {
                if (sleep == null) {
                    lock.wait();
                    continue;
                }
                long nanos = until - System.nanoTime();
                if (nanos <= 0) {
                    break;
                }
                lock.wait(nanos / 1_000_000, (int) (nanos % 1_000_000));
            }
            awake = false;
        }
    }

    @Override
    public void start() {
        synchronized (lock) {
            if (thread == null) {
                thread = QueueThreads.start("konduit-schedules", this::loop);
            }
        }
    }

    @Override
    public void stop() {
        Thread stopping;
        synchronized (lock) {
            stopping = thread;
            thread = null;
        }
        if (stopping != null) {
            stopping.interrupt();
            QueueThreads.join(List.of(stopping), LAST_PASS);
        }
    }

    @Override
    public boolean isRunning() {
        synchronized (lock) {
            return thread != null;
        }
    }

    @Override
    public int getPhase() {
        return Phases.CHORES;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
