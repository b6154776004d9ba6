package io.konduit.queue.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * P3 over both changes of 2026. What is expected comes from counting the minutes of UTC and adding offsets that are
 * written here as the law of each country has them: neither the time zone rules of Java nor a cron expression is asked.
 */
@Tag("P3")
class DaylightSavingTests {
    private static final int MINUTES_PER_DAY = 24 * 60;

    /** The local clock goes from one offset to the other at this instant. Offsets are in minutes. */
    private record Change(Instant at, int before, int after) {
        int offset(Instant time) {
            return time.isBefore(at) ? before : after;
        }
    }

    /** A zone around one change. */
    record Case(String zone, Change change) {
        @Override
        public String toString() {
            return zone + " at " + change.at();
        }

        /** Every minute of UTC from two days before to two days after, with its local minute. */
        Map<Instant, LocalDateTime> minutes() {
            Map<Instant, LocalDateTime> local = new LinkedHashMap<>();
            for (int i = -2 * MINUTES_PER_DAY; i <= 2 * MINUTES_PER_DAY; i++) {
                Instant minute = change.at().plusSeconds(60L * i);
                local.put(
                        minute,
                        LocalDateTime.ofEpochSecond(minute.getEpochSecond(), 0, ZoneOffset.UTC)
                                .plusMinutes(change.offset(minute)));
            }
            return local;
        }

        Instant first() {
            return change.at().minusSeconds(120L * MINUTES_PER_DAY);
        }

        Instant last() {
            return change.at().plusSeconds(120L * MINUTES_PER_DAY);
        }
    }

    static Stream<Case> changes() {
        return Stream.of(
                new Case("Europe/Berlin", new Change(Instant.parse("2026-03-29T01:00:00Z"), 60, 120)),
                new Case("Europe/Berlin", new Change(Instant.parse("2026-10-25T01:00:00Z"), 120, 60)),
                new Case("America/New_York", new Change(Instant.parse("2026-03-08T07:00:00Z"), -300, -240)),
                new Case("America/New_York", new Change(Instant.parse("2026-11-01T06:00:00Z"), -240, -300)),
                new Case("Australia/Lord_Howe", new Change(Instant.parse("2026-04-04T15:00:00Z"), 660, 630)),
                new Case("Australia/Lord_Howe", new Change(Instant.parse("2026-10-03T15:30:00Z"), 630, 660)),
                new Case("Asia/Kolkata", new Change(Instant.parse("2026-03-29T01:00:00Z"), 330, 330)),
                new Case("Asia/Kolkata", new Change(Instant.parse("2026-10-25T01:00:00Z"), 330, 330)));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void everyMinute(Case around) {
        assertThat(fired(around, "0 * * * * *"))
                .isEqualTo(around.minutes().keySet().stream().skip(1).toList());
    }

    /** Every schedule "at minute m of each hour". */
    @ParameterizedTest
    @MethodSource("changes")
    void everyHour(Case around) {
        for (int minute = 0; minute < 60; minute++) {
            int wanted = minute;
            List<Instant> expected = around.minutes().entrySet().stream()
                    .filter(each -> each.getValue().getMinute() == wanted)
                    .map(Map.Entry::getKey)
                    .filter(each -> each.isAfter(around.first()))
                    .toList();
            assertThat(fired(around, "0 " + minute + " * * * *"))
                    .as("minute " + minute)
                    .isEqualTo(expected);
        }
    }

    /** Every schedule "each day at h:m": all 1 440 of them. */
    @ParameterizedTest
    @MethodSource("changes")
    void everyDay(Case around) {
        Map<Instant, LocalDateTime> minutes = around.minutes();
        for (int hour = 0; hour < 24; hour++) {
            for (int minute = 0; minute < 60; minute++) {
                assertThat(fired(around, "0 " + minute + " " + hour + " * * *"))
                        .as(hour + ":" + minute)
                        .isEqualTo(daily(around, minutes, List.of(hour * 60 + minute)));
            }
        }
    }

    /** Two fixed times, of which one or both lie in the gap or the overlap: never twice at one instant. */
    @ParameterizedTest
    @MethodSource("changes")
    void severalTimesADay(Case around) {
        Map<Instant, LocalDateTime> minutes = around.minutes();
        assertThat(fired(around, "0 0,15,30,45 1,2,3 * * *"))
                .isEqualTo(daily(around, minutes, List.of(60, 75, 90, 105, 120, 135, 150, 165, 180, 195, 210, 225)));
        assertThat(fired(around, "0 0/10 2 * * *"))
                .isEqualTo(daily(around, minutes, List.of(120, 130, 140, 150, 160, 170)));
    }

    /** The first minute of UTC on each local day whose clock shows the time, or else has passed it. */
    private static List<Instant> daily(Case around, Map<Instant, LocalDateTime> minutes, List<Integer> minutesOfDay) {
        TreeSet<Instant> expected = new TreeSet<>();
        for (int wanted : minutesOfDay) {
            Map<Object, Instant> shown = new LinkedHashMap<>();
            Map<Object, Instant> passed = new LinkedHashMap<>();
            minutes.forEach((instant, local) -> {
                int minute = local.getHour() * 60 + local.getMinute();
                if (minute == wanted) {
                    shown.putIfAbsent(local.toLocalDate(), instant);
                } else if (minute > wanted) {
                    passed.putIfAbsent(local.toLocalDate(), instant);
                }
            });
            passed.forEach((day, instant) -> expected.add(shown.getOrDefault(day, instant)));
            expected.addAll(shown.values());
        }
        // the first day is cut: what its clock had passed before it began is no gap
        Instant begin = around.first();
        expected.removeIf(each -> !each.isAfter(begin));
        return List.copyOf(expected);
    }

    /** From a moment within the repeated hour, as after a restart there. */
    @Test
    void fixedTimeOfTheRepeatedHourDoesNotFireInItsSecondPass() {
        Recurrence berlin = Recurrence.of("0 30 2 * * *", "Europe/Berlin", null, "it");
        for (String second : List.of(
                "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:29:59Z", "2026-10-25T01:30:00Z")) {
            assertThat(berlin.after(Instant.parse(second))).isEqualTo("2026-10-26T01:30:00Z");
        }
        assertThat(berlin.after(Instant.parse("2026-10-25T00:29:59.999Z"))).isEqualTo("2026-10-25T00:30:00Z");
    }

    @Test
    void timeInTheGapFiresAtItsEnd() {
        Recurrence berlin = Recurrence.of("0 30 2 * * *", "Europe/Berlin", null, "it");
        assertThat(berlin.after(Instant.parse("2026-03-28T12:00:00Z"))).isEqualTo("2026-03-29T01:00:00Z");
        assertThat(berlin.after(Instant.parse("2026-03-29T01:00:00Z"))).isEqualTo("2026-03-30T00:30:00Z");
    }

    /** Why the expression is not asked for zoned times. */
    @Test
    void springsOwnExpressionLosesTheGapAndRepeatsTheOverlap() {
        var spring = org.springframework.scheduling.support.CronExpression.parse("0 30 2 * * *");
        var berlin = java.time.ZoneId.of("Europe/Berlin");
        assertThat(spring.next(Instant.parse("2026-03-28T12:00:00Z").atZone(berlin))
                        .toInstant())
                .isNotEqualTo(Instant.parse("2026-03-29T01:00:00Z"));
        assertThat(spring.next(Instant.parse("2026-10-25T00:30:00Z").atZone(berlin))
                        .toInstant())
                .isEqualTo(Instant.parse("2026-10-25T01:30:00Z"));
    }

    private static List<Instant> fired(Case around, String cron) {
        Recurrence recurrence = Recurrence.of(cron, around.zone(), null, "the test");
        List<Instant> fired = new ArrayList<>();
        for (Instant at = recurrence.after(around.first());
                at != null && !at.isAfter(around.last());
                at = recurrence.after(at)) {
            fired.add(at);
        }
        return fired;
    }
}
