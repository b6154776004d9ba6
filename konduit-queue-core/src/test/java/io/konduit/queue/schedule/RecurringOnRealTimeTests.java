package io.konduit.queue.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.Overlap;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.Recurring;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TestNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two whole instances with one schedule: it fires once each second, whoever leads, also when the leader stops. */
@Timeout(120)
class RecurringOnRealTimeTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final List<Instant> ran = new CopyOnWriteArrayList<>();

    final class Ticks {
        @JobHandler("tick")
        @Recurring(every = "1s", overlap = Overlap.ALLOW)
        void tick(TaskContext task) {
            ran.add(task.scheduledFor().orElseThrow());
        }
    }

    @Test
    @Tag("P2")
    @Tag("P9")
    void firesEachSecondOnceWhoeverLeads() {
        TestNode first = node("first");
        TestNode second = node("second");
        first.start();
        try {
            second.start();
            try {
                await().atMost(Duration.ofSeconds(30)).until(() -> ran.size() >= 3);
            } finally {
                first.close();
            }
            int before = ran.size();
            await().atMost(Duration.ofSeconds(30)).until(() -> ran.size() >= before + 3);
        } finally {
            second.close();
        }
        assertThat(ran).doesNotHaveDuplicates();
        assertThat(harness.count("select count(*) from konduit_task where status <> 'PENDING'"))
                .isZero();
        assertThat(
                        harness.count(
                                "select count(*) from (select nominal_at - lag(nominal_at) over (order by nominal_at) as step,"
                                        + " dropped from konduit_schedule_firing) f where step <> (dropped + 1) * interval '1 s'"))
                .as("times that are neither fired nor counted as dropped")
                .isZero();
    }

    private TestNode node(String name) {
        return new TestNode(
                harness.testDatabase().dataSource(),
                new TestNode.Options(name, 2, Duration.ofSeconds(5), 5),
                node -> new Ticks());
    }
}
