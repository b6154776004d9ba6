package io.konduit.queue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.QueueHarness;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Claims fit into the memory of the worker, whatever the tasks carry. */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Timeout(180)
class SmallHeapTests {
    private static final int QUICK = 5_000;
    private static final int BULKY = 2_000;
    private static final int HUGE = 30;

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    @Test
    @Tag("X30")
    void bulkyTasksAfterQuickOnesDoNotFillTheHeap() {
        try (WorkerJvm jvm = WorkerJvm.start(harness.testDatabase().jdbcUrl(), "small", 4, Duration.ofSeconds(1), 3)) {
            jvm.awaitReady();
            insert(QUICK, "'x'::text");
            // quick tasks teach the worker to claim thousands ahead
            await().atMost(Duration.ofSeconds(60)).until(() -> completed() == QUICK);
            insert(BULKY, "repeat('x', 100000)");
            await().atMost(Duration.ofSeconds(90)).until(() -> completed() == QUICK + BULKY);
            assertThat(harness.count("select count(*) from konduit_task_incident"))
                    .as(jvm.log())
                    .isZero();
            assertThat(jvm.log()).doesNotContain("OutOfMemoryError");
        }
    }

    /** One is more than what a worker of this size may hold: they run one after the other. */
    @Test
    void payloadsOfTenMebibytesRunOneAfterTheOther() {
        try (WorkerJvm jvm = WorkerJvm.start(harness.testDatabase().jdbcUrl(), "small", 4, Duration.ofSeconds(1), 3)) {
            jvm.awaitReady();
            insert(QUICK, "'x'::text");
            await().atMost(Duration.ofSeconds(60)).until(() -> completed() == QUICK);
            insert(HUGE, "repeat('x', 10 * 1024 * 1024 - 2)");
            await().atMost(Duration.ofSeconds(90)).until(() -> completed() == QUICK + HUGE);
            assertThat(harness.count("select count(*) from konduit_task_incident"))
                    .as(jvm.log())
                    .isZero();
            assertThat(jvm.log()).doesNotContain("OutOfMemoryError");
        }
    }

    private static void insert(int tasks, String payload) {
        harness.testDatabase()
                .execute("insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                        + " select 'default', 'blob', to_jsonb(" + payload + "), 2, 'PENDING', now(), now()"
                        + " from generate_series(1, " + tasks + ")");
    }

    private static long completed() {
        return harness.count("select count(*) from konduit_task_history where status = 'COMPLETED'");
    }
}
