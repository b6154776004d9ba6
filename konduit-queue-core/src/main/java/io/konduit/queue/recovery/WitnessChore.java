package io.konduit.queue.recovery;

import io.konduit.queue.leader.Chore;
import java.time.Duration;

/** Checks the witnesses: often while there are other workers, and exactly when the grace of a missing one is over. */
public final class WitnessChore implements Chore {
    private static final Duration SHORTEST = Duration.ofMillis(50);

    private final WitnessWatch watch;
    private final Duration grace;

    public WitnessChore(WitnessWatch watch, Duration grace) {
        this.watch = watch;
        this.grace = grace;
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
        WitnessWatch.Look look = watch.lookOnce();
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
