package io.konduit.queue.handler;

import io.konduit.queue.CatchUp;
import io.konduit.queue.InvalidScheduleException;
import io.konduit.queue.Overlap;
import io.konduit.queue.Recurring;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Recurring} declares, with its placeholders resolved; its times are not checked yet.
 *
 * @param cron null if there is none
 * @param zone null means that of the JVM
 * @param every null if there is none
 */
public record DeclaredRecurrence(
        String name,
        @Nullable String cron,
        @Nullable String zone,
        @Nullable Duration every,
        CatchUp catchUp,
        Overlap overlap) {
    /** As with Spring's own schedules: a property switches it off. */
    private static final String OFF = "-";

    /** Null when a property has switched it off. */
    static @Nullable DeclaredRecurrence of(
            Recurring declared, String type, String location, UnaryOperator<String> placeholders) {
        String cron = placeholders.apply(declared.cron());
        if (cron.equals(OFF)) {
            return null;
        }
        String name = placeholders.apply(declared.name());
        String zone = placeholders.apply(declared.zone());
        String every = placeholders.apply(declared.every());
        return new DeclaredRecurrence(
                name.isEmpty() ? type : name,
                cron.isEmpty() ? null : cron,
                zone.isEmpty() ? null : zone,
                every.isEmpty() ? null : interval(every, location),
                declared.catchUp(),
                declared.overlap());
    }

    private static Duration interval(String text, String location) {
        try {
            return Objects.requireNonNull(Backoff.duration(text));
        } catch (IllegalArgumentException e) {
            throw new InvalidScheduleException(
                    "Expected 'every' of @Recurring on %s to be a duration such as '10m' or 'PT1H', but it is '%s'."
                            .formatted(location, text),
                    e);
        }
    }

    static InvalidScheduleException withoutHandler(Method method) {
        return new InvalidScheduleException(
                "@Recurring on %s.%s has no handler: the method has no @JobHandler. Add @JobHandler(\"...\") to it."
                        .formatted(method.getDeclaringClass().getSimpleName(), method.getName()));
    }

    static InvalidScheduleException withPayload(String location) {
        return new InvalidScheduleException(
                "Handler %s has @Recurring and takes a payload, but nobody sends one. Take a TaskContext or nothing, or put a schedule with a payload at run time: Schedules.put(...)."
                        .formatted(location));
    }
}
