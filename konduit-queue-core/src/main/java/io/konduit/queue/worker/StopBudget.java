package io.konduit.queue.worker;

import java.time.Duration;

/**
 * The time left for a stop, counted from its start: the drain timeout for handlers, or one heartbeat for claims in
 * flight if that is longer, plus a little for the last writes.
 */
final class StopBudget {
    private final long begunNanos = System.nanoTime();
    private final Duration drain;
    private final Duration whole;

    StopBudget(Duration drain, Duration heartbeat, Duration lastWrites) {
        this.drain = drain;
        this.whole = (drain.compareTo(heartbeat) < 0 ? heartbeat : drain).plus(lastWrites);
    }

    /** How long handlers may continue. */
    Duration leftToDrain() {
        return left(drain);
    }

    /** How long everything may take. */
    Duration left() {
        return left(whole);
    }

    private Duration left(Duration limit) {
        Duration left = limit.minusNanos(System.nanoTime() - begunNanos);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
