package io.konduit.queue.schedule;

import io.konduit.queue.InvalidScheduleException;
import io.konduit.queue.settings.DurationText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/** The nominal times of a schedule: a set of instants. */
interface Recurrence {
    Duration SHORTEST = Duration.ofSeconds(1);
    Duration LONGEST = Duration.ofDays(36_500);

    /** The earliest time after this one; null if there is none. */
    @Nullable
    Instant after(Instant time);

    /** The earliest time after {@code now}, if this one is a nominal time that has passed. */
    default @Nullable Instant after(Instant nominal, Instant now) {
        return after(now);
    }

    /** Throws an {@link InvalidScheduleException} that names the schedule with {@code what}. */
    static Recurrence of(@Nullable String cron, @Nullable String zone, @Nullable Duration every, String what) {
        if ((cron == null) == (every == null)) {
            throw new InvalidScheduleException(
                    "Expected " + what + " to have either a cron expression or an interval, but it has "
                            + (cron == null ? "neither" : "both") + ". Set one of 'cron' and 'every'.");
        }
        if (every != null) {
            return every(every, what);
        }
        return cron(cron == null ? "" : cron, zone(zone == null ? "" : zone, what), what);
    }

    private static Recurrence every(Duration interval, String what) {
        if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0) {
            throw new InvalidScheduleException("Expected the interval of " + what + " to be between "
                    + DurationText.of(SHORTEST) + " and " + DurationText.of(LONGEST) + ", but it is "
                    + DurationText.of(interval) + ".");
        }
        return new IntervalRecurrence(Duration.ofMillis(interval.toMillis()));
    }

    private static Recurrence cron(String expression, ZoneId zone, String what) {
        try {
            return new CronRecurrence(expression, CronExpression.parse(expression), zone);
        } catch (IllegalArgumentException e) {
            throw new InvalidScheduleException(
                    "The cron expression of " + what + " cannot be read: " + e.getMessage()
                            + ". Expected six fields: second, minute, hour, day of the month, month, day of the week, such as '0 30 2 * * *'.",
                    e);
        }
    }

    private static ZoneId zone(String id, String what) {
        try {
            return ZoneId.of(id);
        } catch (DateTimeException e) {
            throw new InvalidScheduleException(
                    "The time zone '" + id + "' of " + what
                            + " is unknown. Expected the name of a region such as 'Europe/Berlin', or 'UTC'.",
                    e);
        }
    }
}
