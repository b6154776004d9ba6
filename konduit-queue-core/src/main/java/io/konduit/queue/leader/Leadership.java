package io.konduit.queue.leader;

import io.konduit.queue.event.LeadershipAcquired;
import io.konduit.queue.event.LeadershipLost;
import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.log.LogThrottle;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.settings.LeaderSettings;
import java.time.Duration;
import java.util.UUID;
import java.util.function.LongSupplier;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds a ShedLock lock for as long as this instance is healthy.
 *
 * <ol>
 *   <li>Without the lock: tries to get it. If the node dies after that, the lock ends by its TTL.
 *   <li>With it: extends it. The lock is lost if another instance holds it, or if no extension was confirmed until
 *       shortly before its TTL, counted from before the statement was sent.
 * </ol>
 *
 * The lock saves work and is never needed for safety: two leaders at once do no harm.
 */
public final class Leadership {
    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    private static final String STORE = "store";

    private final LogThrottle throttle;
    private final LockProvider locks;
    private final LeaderSettings settings;
    private final UUID worker;
    private final QueueEvents events;
    private final LongSupplier nanoTime;
    /** One step at a time. Reading the state never waits for a step, nor for a lock store that does not answer. */
    private final Object step = new Object();

    private volatile @Nullable Held held;
    private volatile boolean storeUnavailable;
    private boolean announced;

    /** A lock of this instance, and how long it is valid without asking. */
    private record Held(SimpleLock lock, long trustedUntilNanos) {}

    public Leadership(
            LockProvider locks, LeaderSettings settings, UUID worker, QueueEvents events, LongSupplier nanoTime) {
        this.locks = locks;
        this.settings = settings;
        this.worker = worker;
        this.events = events;
        this.nanoTime = nanoTime;
        this.throttle = new LogThrottle(nanoTime);
    }

    LeaderSettings settings() {
        return settings;
    }

    /** This instance. */
    UUID worker() {
        return worker;
    }

    LeadershipState state() {
        if (isTrusted(held)) {
            return LeadershipState.LEADER;
        }
        return storeUnavailable ? LeadershipState.STORE_UNAVAILABLE : LeadershipState.NOT_LEADER;
    }

    /** One step: gets the lock, or extends it. Never throws. */
    LeadershipState renew() {
        LeadershipState state;
        boolean isLeader;
        synchronized (step) {
            askStore(held);
            state = state();
            isLeader = state == LeadershipState.LEADER;
            if (isLeader == announced) {
                return state;
            }
            announced = isLeader;
        }
        announce(isLeader);
        return state;
    }

    private void askStore(@Nullable Held before) {
        long sent = nanoTime.getAsLong();
        try {
            SimpleLock lock = before == null ? acquire() : extend(before.lock());
            // a tenth of the TTL, in case clocks run at different speeds
            held = lock == null
                    ? null
                    : new Held(lock, sent + settings.lockTtl().toNanos() * 9 / 10);
            storeUnavailable = false;
        } catch (RuntimeException | Error e) {
            if (!storeUnavailable && throttle.isDue(STORE)) {
                log.warn("The store of the leader lock does not answer ({})", DatabaseErrors.summary(e));
            }
            storeUnavailable = true;
            if (!isTrusted(before)) {
                held = null;
            }
        }
    }

    /** E2: releases the lock, so that another instance can take it at once. */
    void release() {
        boolean wasLeader;
        synchronized (step) {
            wasLeader = announced;
            announced = false;
            Held given = held;
            held = null;
            try {
                if (given != null) {
                    given.lock().unlock();
                }
            } catch (RuntimeException | Error e) {
                log.debug("The leader lock could not be released and ends by its TTL", e);
            }
        }
        if (wasLeader) {
            announce(false);
        }
    }

    private boolean isTrusted(@Nullable Held lock) {
        return lock != null && nanoTime.getAsLong() - lock.trustedUntilNanos() < 0;
    }

    private @Nullable SimpleLock acquire() {
        return locks.lock(configuration()).orElse(null);
    }

    private @Nullable SimpleLock extend(SimpleLock held) {
        try {
            return held.extend(settings.lockTtl(), Duration.ZERO).orElse(null);
        } catch (UnsupportedOperationException e) {
            // the application's lock provider cannot extend
            held.unlock();
            return acquire();
        }
    }

    private LockConfiguration configuration() {
        return new LockConfiguration(
                ClockProvider.now(), LeaderOnlyScheduler.LOCK_NAME, settings.lockTtl(), Duration.ZERO);
    }

    private void announce(boolean isLeader) {
        if (isLeader) {
            log.info("This instance ({}) leads: it runs the background chores", worker);
            events.publish(new LeadershipAcquired(worker));
        } else {
            log.info("This instance ({}) is no longer the leader", worker);
            events.publish(new LeadershipLost(worker));
        }
    }
}
