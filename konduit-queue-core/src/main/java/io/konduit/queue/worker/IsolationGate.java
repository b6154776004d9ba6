package io.konduit.queue.worker;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * L18: lets a suspect run alone in this worker, so that neighbours are not charged for its crashes. Everybody else, and
 * every claim, may be in together. Nobody waits behind a suspect, because a task that waits here has a lease that a crash
 * would charge: who is refused gives its task back.
 */
final class IsolationGate {
    private static final long LOOK_MILLIS = 20;

    private int inside;
    private boolean suspect;

    /** Whether a suspect is in or wants in: nothing should be claimed meanwhile. */
    synchronized boolean isClosing() {
        return suspect;
    }

    /** Lets a task or a claim in, unless a suspect is in or wants in. */
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

    /** Closes the gate for a suspect; false when another one was first. */
    synchronized boolean close() {
        if (suspect) {
            return false;
        }
        suspect = true;
        return true;
    }

    /** Waits until everybody has left the closed gate and {@code nothingElseHeld} says so; false when it takes too long. */
    synchronized boolean awaitAlone(Duration patience, BooleanSupplier nothingElseHeld) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!(inside == 0 && nothingElseHeld.getAsBoolean())) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(Math.min(left, LOOK_MILLIS));
        }
        return true;
    }

    synchronized void open() {
        suspect = false;
    }
}
