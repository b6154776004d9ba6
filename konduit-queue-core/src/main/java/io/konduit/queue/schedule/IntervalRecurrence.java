package io.konduit.queue.schedule;

import java.time.Duration;
import java.time.Instant;

/** A fixed interval, counted from nominal time to nominal time: a late firing does not move the later ones. */
record IntervalRecurrence(Duration interval) implements Recurrence {

    @Override
    public Instant after(Instant time) {
        return time.plus(interval);
    }

    @Override
    public Instant after(Instant nominal, Instant now) {
        if (nominal.isAfter(now)) {
            return nominal;
        }
        long passed = Duration.between(nominal, now).dividedBy(interval);
        return nominal.plus(interval.multipliedBy(passed + 1));
    }
}
