package io.konduit.queue.thread;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/** Spreads actions that many instances would otherwise perform at the same time. */
public final class Jitter {
    private final DoubleSupplier random;

    /** @param random gives values from 0 up to but not including 1 */
    public Jitter(DoubleSupplier random) {
        this.random = random;
    }

    /** A jitter that differs each time. */
    public static Jitter random() {
        return new Jitter(() -> ThreadLocalRandom.current().nextDouble());
    }

    /** Between {@code least} times the interval and the interval. */
    public Duration of(Duration interval, double least) {
        return Duration.ofNanos(ofNanos(interval.toNanos(), least));
    }

    /** Between {@code least} times these nanoseconds and all of them. */
    public long ofNanos(long nanos, double least) {
        return (long) (nanos * (least + (1 - least) * random.getAsDouble()));
    }
}
