package io.konduit.queue.worker;

import java.time.Duration;

/**
 * What is left of the time for a stop, counted from its begin: the drain time for handlers, or a heartbeat for claims that are
 * under way if that is longer, and then a little for the last writes.
 */
final class StopBudget {
    private final long begunNanos = System.nanoTime();
    private final Duration drain;
    private final Duration whole;

    StopBudget(Duration drain, Duration heartbeat, Duration lastWrites) {
        this.drain = drain;
        this.whole = (drain.compareTo(heartbeat) < 0 ? heartbeat : drain).plus(lastWrites);
    }

    /** How long handlers may go on. */
    Duration leftToDrain() {
        return left(drain);
    }

    /** How long everything may take. */
    Duration left() {
        return left(whole);
    }

    private Duration left(Duration most) {
        Duration left = most.minusNanos(System.nanoTime() - begunNanos);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
