package io.konduit.queue.enqueue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NotifierTests {
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
