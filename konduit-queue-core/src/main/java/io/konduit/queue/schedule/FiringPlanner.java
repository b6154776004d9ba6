package io.konduit.queue.schedule;

import io.konduit.queue.CatchUp;
import io.konduit.queue.InvalidScheduleException;
import io.konduit.queue.ScheduleFiring.Outcome;
import io.konduit.queue.store.DueSchedule;
import io.konduit.queue.store.PlannedFiring;
import io.konduit.queue.store.PlannedFiring.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Decides what a schedule that is due does: which of its times fire, are skipped or dropped, and which is the next (P4, P5). */
final class FiringPlanner {
    /** A firing that is later than this was missed, where nothing is caught up. */
    static final Duration ON_TIME = Duration.ofMinutes(1);

    private final int maxCatchUp;

    FiringPlanner(int maxCatchUp) {
        this.maxCatchUp = maxCatchUp;
    }

    /** Throws an {@link InvalidScheduleException} if the times cannot be computed. */
    PlannedFiring plan(DueSchedule due) {
        String what = "schedule '" + due.name() + "'";
        DueTimes times =
                new DueTimes(Recurrence.of(due.cron(), due.zone(), due.every(), what), due.nextAt(), due.now());
        Instant next = times.next();
        if (next == null) {
            throw new InvalidScheduleException("The cron expression of " + what + " never fires again.");
        }
        List<Instant> kept = times.newest(due.catchUp() == CatchUp.ALL ? maxCatchUp : 1);
        List<Time> planned = new ArrayList<>();
        for (int i = 0; i < kept.size(); i++) {
            Instant nominal = kept.get(i);
            planned.add(new Time(nominal, outcome(due, nominal), i == 0 ? times.before(nominal) : 0));
        }
        return new PlannedFiring(due, planned, next);
    }

    private static Outcome outcome(DueSchedule due, Instant nominal) {
        if (due.catchUp() == CatchUp.NONE
                && Duration.between(nominal, due.now()).compareTo(ON_TIME) > 0) {
            return Outcome.DROPPED;
        }
        return due.unfinished() == null ? Outcome.FIRED : Outcome.SKIPPED;
    }
}
