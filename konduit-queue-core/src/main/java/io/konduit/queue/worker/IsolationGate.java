package io.konduit.queue.worker;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * L18: lets a suspect run alone in this worker, so that its neighbours are not charged for its crashes. All other tasks
 * and claims may be inside together. Nothing waits behind a suspect, because a waiting task holds a lease that a crash
 * would charge: a task that is refused is given back.
 *
 * <p>Ordinary work is not starved: after the gate was closed it stays open for at least as long, and for longer each
 * time a suspect closed it without getting to run.
 *
 * <p>Suspects are not starved either: the time for which ordinary work may stop grows with the time that suspects have
 * been refused.
 */
final class IsolationGate {
    private static final long LOOK_MILLIS = 20;
    private static final long LONGEST_REST_NANOS = Duration.ofMinutes(1).toNanos();
    private static final Duration LEAST_PATIENCE = Duration.ofSeconds(2);
    private static final Duration LONGEST_PATIENCE = Duration.ofSeconds(30);
    /** Patience is this fraction of the time for which suspects have been refused. */
    private static final int PATIENCE_DIVISOR = 5;

    static final Duration OVERDUE = Duration.ofMinutes(10);
    /** A refused suspect returns sooner than this, unless another worker has taken it. */
    private static final long FORGOTTEN_NANOS = Duration.ofMinutes(3).toNanos();

    private final LongSupplier nanoTime;
    private int inside;
    private boolean suspect;
    private boolean suspectRan;
    private long closedNanos;
    private long openedNanos;
    private long restNanos;
    private boolean turnedAway;
    private boolean overdueTold;
    private long firstTurnedAwayNanos;
    private long lastTurnedAwayNanos;

    IsolationGate() {
        this(System::nanoTime);
    }

    IsolationGate(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Whether a suspect is inside or waiting: nothing should be claimed meanwhile. */
    synchronized boolean isClosing() {
        return suspect;
    }

    /** Lets a task or a claim in, unless a suspect is inside or waiting. */
    synchronized boolean enter() {
        if (suspect) {
            return false;
        }
        inside++;
        return true;
    }

    synchronized void leave() {
        inside--;
        notifyAll();
    }

    /** Closes the gate for a suspect; false when another one was first, or when it is the turn of ordinary work. */
    synchronized boolean close() {
        if (suspect || restLeft() > 0) {
            return false;
        }
        suspect = true;
        suspectRan = false;
        closedNanos = nanoTime.getAsLong();
        return true;
    }

    /** How long ordinary work may be stopped for the next suspect. */
    synchronized Duration patience() {
        Duration patience = turnedAwayFor().dividedBy(PATIENCE_DIVISOR);
        if (patience.compareTo(LEAST_PATIENCE) < 0) {
            return LEAST_PATIENCE;
        }
        return patience.compareTo(LONGEST_PATIENCE) > 0 ? LONGEST_PATIENCE : patience;
    }

    /** For how long suspects have waited without one running here. */
    private Duration turnedAwayFor() {
        long now = nanoTime.getAsLong();
        return isWaitedFor(now) ? Duration.ofNanos(now - firstTurnedAwayNanos) : Duration.ZERO;
    }

    /**
     * A suspect could not run alone and is given back.
     *
     * @return true once, when no suspect has run for {@link #OVERDUE}
     */
    synchronized boolean turnAway() {
        long now = nanoTime.getAsLong();
        if (!isWaitedFor(now)) {
            firstTurnedAwayNanos = now;
            overdueTold = false;
        }
        turnedAway = true;
        lastTurnedAwayNanos = now;
        boolean overdue = !overdueTold && now - firstTurnedAwayNanos >= OVERDUE.toNanos();
        overdueTold |= overdue;
        return overdue;
    }

    private boolean isWaitedFor(long now) {
        return turnedAway && now - lastTurnedAwayNanos <= FORGOTTEN_NANOS;
    }

    /** How long ordinary work is still guaranteed the gate. */
    synchronized Duration rest() {
        return Duration.ofNanos(Math.max(0, restLeft()));
    }

    private long restLeft() {
        return restNanos == 0 ? 0 : restNanos - (nanoTime.getAsLong() - openedNanos);
    }

    /** Waits until the closed gate is empty and {@code nothingElseHeld} is true; false when it takes too long. */
    synchronized boolean awaitAlone(Duration patience, BooleanSupplier nothingElseHeld) throws InterruptedException {
        long deadline = nanoTime.getAsLong() + patience.toNanos();
        while (!(inside == 0 && nothingElseHeld.getAsBoolean())) {
            long left = (deadline - nanoTime.getAsLong()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(Math.min(left, LOOK_MILLIS));
        }
        suspectRan = true;
        turnedAway = false;
        return true;
    }

    synchronized void open() {
        suspect = false;
        openedNanos = nanoTime.getAsLong();
        long closedFor = openedNanos - closedNanos;
        restNanos = suspectRan ? closedFor : Math.min(LONGEST_REST_NANOS, Math.max(closedFor, 2 * restNanos));
    }
}
