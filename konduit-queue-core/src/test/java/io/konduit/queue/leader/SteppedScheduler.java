package io.konduit.queue.leader;

import java.time.Duration;

/** The real scheduler of the leader, whose steps somebody else takes. */
public final class SteppedScheduler {
    private final LeaderOnlyScheduler scheduler;

    public SteppedScheduler(LeaderOnlyScheduler scheduler) {
        this.scheduler = scheduler;
    }

    public Duration renew() {
        return scheduler.renew();
    }

    /** L6: the pass at start-up. */
    public Duration runNow(Chore chore) {
        return scheduler.runNow(chore);
    }

    public Duration tick(Chore chore) {
        return scheduler.tick(chore);
    }

    public void release() {
        scheduler.release();
    }
}
