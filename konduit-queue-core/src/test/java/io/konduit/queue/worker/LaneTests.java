package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.With;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LaneTests {
    @Test
    void queuesShareTheirSlotsUnlessTheyHaveTheirOwn() {
        WorkerSettings settings = With.all(
                        With.queues("a", "b", "slow", "b"),
                        With.concurrency(7),
                        With.queueConcurrency(Map.of("slow", 2)))
                .apply(QueueHarness.quickSettings());
        assertThat(Lane.of(settings))
                .containsExactly(new Lane("a", List.of("a", "b"), 7), new Lane("slow", List.of("slow"), 2));
    }

    @Test
    void thereIsNoSharedLaneWhenEveryQueueHasItsOwn() {
        WorkerSettings settings = With.all(With.queues("a"), With.queueConcurrency(Map.of("a", 3)))
                .apply(QueueHarness.quickSettings());
        assertThat(Lane.of(settings)).containsExactly(new Lane("a", List.of("a"), 3));
    }
}
