package io.konduit.queue.recovery;

import io.konduit.queue.leader.Chore;
import java.time.Duration;

/** The reaper as a chore: sleeps until the earliest known lease ends, at most the interval. */
public final class ReaperChore implements Chore {
    /** Its name in {@code konduit_chore}. */
    public static final String NAME = "reaper";

    private final OrphanReclaimer reclaimer;
    private final Duration interval;

    public ReaperChore(OrphanReclaimer reclaimer, Duration interval) {
        this.reclaimer = reclaimer;
        this.interval = interval;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Duration interval() {
        return interval;
    }

    @Override
    public Duration run() {
        return reclaimer.passAndPlan(interval);
    }

    @Override
    public boolean isVital() {
        return true;
    }
}
