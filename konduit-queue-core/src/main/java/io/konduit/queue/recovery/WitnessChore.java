package io.konduit.queue.recovery;

import io.konduit.queue.failover.Activity;
import io.konduit.queue.leader.Chore;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Checks the witnesses: often while tasks may run, and exactly when the grace of a missing one is over. While none runs,
 * no crash loses a task.
 */
public final class WitnessChore implements Chore {
    private static final Duration SHORTEST = Duration.ofMillis(50);

    private final WitnessWatch watch;
    private static final Duration QUIET_INTERVAL = Duration.ofSeconds(30);

    private final Duration grace;
    private final Activity activity;
    private final LongSupplier nanoTime;
    private boolean looked;
    private long lookedNanos;

    public WitnessChore(WitnessWatch watch, Duration grace, Activity activity, LongSupplier nanoTime) {
        this.watch = watch;
        this.grace = grace;
        this.activity = activity;
        this.nanoTime = nanoTime;
    }

    @Override
    public String name() {
        return "witness";
    }

    @Override
    public Duration interval() {
        return grace.multipliedBy(2).dividedBy(5);
    }

    @Override
    public Duration run() {
        long now = nanoTime.getAsLong();
        if (looked && now - lookedNanos < QUIET_INTERVAL.toNanos() && activity.isQuiet()) {
            return interval();
        }
        WitnessWatch.Look look = watch.lookOnce();
        looked = true;
        lookedNanos = now;
        if (look.witnesses() > 0) {
            activity.busy();
        }
        Duration next = look.nextIn();
        if (next == null || next.compareTo(interval()) > 0) {
            return interval();
        }
        return next.compareTo(SHORTEST) < 0 ? SHORTEST : next.plusMillis(1);
    }

    @Override
    public boolean isRecorded() {
        return false;
    }

    @Override
    public boolean isUrgent() {
        return true;
    }
}
