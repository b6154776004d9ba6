package io.konduit.queue.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** What a poller waits for: due tasks, or room for more. A signal given while it is busy is not lost. */
final class PollSignal {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final LongSupplier nanoTime;
    private boolean due;
    private boolean room;
    private boolean ended;
    private boolean planned;
    private long lookAtNanos;
    private volatile boolean wantsRoom;

    PollSignal(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void tasksDue() {
        lock.lock();
        try {
            due = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The poller must look after this time at the latest. An earlier look that is planned stays. */
    void lookWithin(long nanos) {
        lock.lock();
        try {
            long at = nanoTime.getAsLong() + nanos;
            if (!planned || at - lookAtNanos < 0) {
                planned = true;
                lookAtNanos = at;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether the time of the planned look has come. It is then no longer planned. */
    boolean takeLook() {
        lock.lock();
        try {
            boolean taken = planned && nanoTime.getAsLong() - lookAtNanos >= 0;
            planned &= !taken;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the poller: it no longer waits or rests. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for this long, whatever is due. */
    void rest(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (!ended && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether the poller waits for room, or is about to. */
    boolean isRoomWanted() {
        return wantsRoom;
    }

    /** Cheap when nothing waits for room. */
    void roomMade() {
        if (!wantsRoom) {
            return;
        }
        lock.lock();
        try {
            room = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Clears earlier signals: the claim that follows sees what they announced. */
    void clearDue() {
        lock.lock();
        try {
            due = false;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until something is due, the planned look or the time is up; returns whether something is due. */
    boolean awaitDue(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (!due && !ended && left > 0) {
                long step = planned ? Math.min(left, lookAtNanos - nanoTime.getAsLong()) : left;
                if (step <= 0) {
                    break;
                }
                left -= step - changed.awaitNanos(step);
            }
            return due;
        } finally {
            lock.unlock();
        }
    }

    /** Asks for room; check again before waiting. */
    void wantRoom() {
        lock.lock();
        try {
            room = false;
            wantsRoom = true;
        } finally {
            lock.unlock();
        }
    }

    void awaitRoom(long millis) throws InterruptedException {
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (!room && !ended && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            wantsRoom = false;
            room = false;
            lock.unlock();
        }
    }
}
