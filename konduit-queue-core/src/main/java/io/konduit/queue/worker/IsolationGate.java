package io.konduit.queue.worker;

import java.time.Duration;

/**
 * L18: lets a suspect run alone in this worker, so that neighbours are not charged for its crashes. Everybody else
 * may be in together. Nobody waits for ever: who cannot get in in time gives its task back.
 */
final class IsolationGate {
    private int inside;
    private boolean suspectInside;
    private int suspectsWaiting;

    /** Whether a suspect is in or wants in: nothing should be claimed meanwhile. */
    synchronized boolean isClosing() {
        return suspectInside || suspectsWaiting > 0;
    }

    synchronized boolean enter(Duration patience) throws InterruptedException {
        if (!await(patience, () -> !suspectInside && suspectsWaiting == 0)) {
            return false;
        }
        inside++;
        return true;
    }

    synchronized void leave() {
        inside--;
        notifyAll();
    }

    synchronized boolean enterAlone(Duration patience) throws InterruptedException {
        suspectsWaiting++;
        try {
            if (!await(patience, () -> inside == 0 && !suspectInside)) {
                return false;
            }
            suspectInside = true;
            return true;
        } finally {
            suspectsWaiting--;
            notifyAll();
        }
    }

    synchronized void leaveAlone() {
        suspectInside = false;
        notifyAll();
    }

    private interface Condition {
        boolean holds();
    }

    private boolean await(Duration patience, Condition condition) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.holds()) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }
}
