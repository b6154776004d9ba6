package io.konduit.queue.enqueue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NotifierTests {
    @Test
    void notificationsTakeAtMostATenthOfTheTime() {
        long millis = 1_000_000;
        assertThat(Notifier.atLeast(5 * millis, millis / 10)).isEqualTo(5 * millis);
        assertThat(Notifier.atLeast(5 * millis, 2 * millis)).isEqualTo(18 * millis);
        assertThat(Notifier.atLeast(5 * millis, 60_000 * millis))
                .as("a message that waited for a lock")
                .isEqualTo(Notifier.LONGEST_PAUSE_NANOS);
    }

    @Test
    void spacingOfNotificationsGrowsWhileEnqueuesContinueAndIsResetByAPause() {
        long first = Notifier.spacingAfter(Notifier.SHORTEST_SPACING_NANOS, true);
        assertThat(first).isGreaterThan(Notifier.SHORTEST_SPACING_NANOS).isLessThan(Notifier.LONGEST_SPACING_NANOS);
        assertThat(Notifier.spacingAfter(Notifier.LONGEST_SPACING_NANOS, true))
                .isEqualTo(Notifier.LONGEST_SPACING_NANOS);
        assertThat(Notifier.spacingAfter(Notifier.LONGEST_SPACING_NANOS, false))
                .isEqualTo(Notifier.SHORTEST_SPACING_NANOS);
    }
}
