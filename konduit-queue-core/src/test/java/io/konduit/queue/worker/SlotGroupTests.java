package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.TestSettings;
import io.konduit.queue.With;
import io.konduit.queue.settings.WorkerSettings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SlotGroupTests {
    @Test
    void queuesShareTheirSlotsUnlessTheyHaveTheirOwn() {
        WorkerSettings settings = With.all(
                        With.queues("a", "b", "slow", "b"),
                        With.concurrency(7),
                        With.queueConcurrency(Map.of("slow", 2)))
                .apply(TestSettings.quick().worker());
        assertThat(SlotGroup.of(settings))
                .containsExactly(new SlotGroup("a", List.of("a", "b"), 7), new SlotGroup("slow", List.of("slow"), 2));
    }

    @Test
    void thereIsNoSharedGroupWhenEveryQueueHasItsOwn() {
        WorkerSettings settings = With.all(With.queues("a"), With.queueConcurrency(Map.of("a", 3)))
                .apply(TestSettings.quick().worker());
        assertThat(SlotGroup.of(settings)).containsExactly(new SlotGroup("a", List.of("a"), 3));
    }
}
