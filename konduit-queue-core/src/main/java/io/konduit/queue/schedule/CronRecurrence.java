package io.konduit.queue.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * A cron expression in a time zone. The expression is evaluated on local times, which this class places in the zone: on
 * zoned times, Spring's expression loses a fixed time in the gap and repeats one in the overlap.
 */
final class CronRecurrence implements Recurrence {
    /** The macros that leave the hour open, and those that fix it. */
    private static final Map<String, Boolean> MACROS = Map.of(
            "@hourly",
            true,
            "@daily",
            false,
            "@midnight",
            false,
            "@weekly",
            false,
            "@monthly",
            false,
            "@yearly",
            false,
            "@annually",
            false);

    private static final int HOUR = 2;

    private final CronExpression expression;
    private final ZoneRules rules;
    private final boolean followsElapsedTime;

    CronRecurrence(String text, CronExpression expression, ZoneId zone) {
        this.expression = expression;
        this.rules = zone.getRules();
        this.followsElapsedTime = hasWildcardHour(text.strip());
    }

    private static boolean hasWildcardHour(String text) {
        Boolean macro = MACROS.get(text.toLowerCase(Locale.ROOT));
        return macro != null ? macro : text.split("\\s+")[HOUR].contains("*");
    }

    @Override
    public @Nullable Instant after(Instant time) {
        return followsElapsedTime ? elapsedAfter(time) : wallClockAfter(time);
    }

    /** The next instant whose local time matches: one period of constant offset after the other. */
    private @Nullable Instant elapsedAfter(Instant time) {
        ZoneOffset offset = rules.getOffset(time);
        LocalDateTime from = LocalDateTime.ofInstant(time, offset);
        ZoneOffsetTransition end = rules.nextTransition(time);
        while (true) {
            LocalDateTime local = expression.next(from);
            if (local == null) {
                return null;
            }
            Instant found = local.toInstant(offset);
            if (end == null || found.isBefore(end.getInstant())) {
                return found;
            }
            offset = end.getOffsetAfter();
            // the first local time of the next period may match
            from = end.getDateTimeAfter().minusNanos(1);
            end = rules.nextTransition(end.getInstant());
        }
    }

    /** The next local time that matches, at its first occurrence; in a gap, at its end. */
    private @Nullable Instant wallClockAfter(Instant time) {
        LocalDateTime local = expression.next(passed(time));
        while (local != null) {
            Instant found = place(local);
            if (found.isAfter(time)) {
                return found;
            }
            local = expression.next(local);
        }
        return null;
    }

    /** Up to which local time everything has had its first occurrence. In the second pass of an overlap that is its end. */
    private LocalDateTime passed(Instant time) {
        LocalDateTime local = LocalDateTime.ofInstant(time, rules.getOffset(time));
        ZoneOffsetTransition overlap = rules.getTransition(local);
        return overlap != null && overlap.isOverlap() && !time.isBefore(overlap.getInstant())
                ? overlap.getDateTimeBefore().minusNanos(1)
                : local;
    }

    private Instant place(LocalDateTime local) {
        ZoneOffsetTransition transition = rules.getTransition(local);
        if (transition == null) {
            return local.toInstant(rules.getOffset(local));
        }
        return transition.isGap() ? transition.getInstant() : local.toInstant(transition.getOffsetBefore());
    }
}
