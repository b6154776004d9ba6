package io.konduit.queue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.FaultyDataSource;
import io.konduit.queue.JobHandler;
import io.konduit.queue.JumpingClock;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TestNode;
import io.konduit.queue.event.ReaperFailed;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.ClaimedTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole nodes, with their own reapers, whose tasks run on while the database goes away or its clock jumps. */
@Tag("H10")
class LivingWorkersTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final int SLOTS = 10;
    private static JumpingClock clock;

    private final FaultyDataSource connections =
            new FaultyDataSource(harness.testDatabase().dataSource());
    private final List<TestNode> nodes = new ArrayList<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicInteger begun = new AtomicInteger();
    private ControlPool pool;
    private QueueFixture recovery;

    @BeforeAll
    static void installClock() {
        clock = JumpingClock.install(harness.testDatabase());
    }

    @BeforeEach
    void openPool() {
        pool = new ControlPool(harness.testDatabase().dataSource(), 2, Duration.ofSeconds(5));
        recovery = new QueueFixture(new QueueDatabase(harness.testDatabase().dataSource(), pool, null));
    }

    @AfterEach
    void closeAll() {
        connections.heal();
        mayEnd.countDown();
        nodes.forEach(TestNode::close);
        pool.close();
    }

    /** Runs until the test lets it end, whatever interrupts come: an outage is no reason for it to stop. */
    private final class Stubborn {
        @JobHandler("stubborn")
        void run() {
            begun.incrementAndGet();
            while (mayEnd.getCount() > 0) {
                try {
                    mayEnd.await();
                } catch (InterruptedException e) {
                    // goes on
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {3_600, -600})
    @Tag("X9")
    void aJumpOfTheDatabasesClockTakesNothingFromLivingWorkers(long seconds) {
        List<TaskId> living = startNodesWithRunningTasks();
        ClaimedTask dead = recovery.running(recovery.newWorker());
        clock.jump(Duration.ofSeconds(seconds));
        if (seconds > 0) {
            await().untilAsserted(
                            () -> assertThat(recovery.incidents(dead.id())).hasSize(1));
        } else {
            await().until(() -> longestLeaseLeft().compareTo(TestNode.LOCK_TIMEOUT) <= 0);
        }
        surviveAnotherLease(living);
        assertNobodyLostATask(living);
    }

    @Test
    @Tag("X8")
    void anOutageOfMoreThanALeaseTakesNothingFromLivingWorkers() {
        List<TaskId> living = startNodesWithRunningTasks();
        ClaimedTask dead = recovery.running(recovery.newWorker());
        recovery.expire(dead, TestNode.LOCK_TIMEOUT.negated());
        connections.goDown();
        await().until(() -> longestLeaseLeft().compareTo(TestNode.LOCK_TIMEOUT.dividedBy(-2)) < 0);
        assertThat(nodes).allSatisfy(node -> assertThat(node.events()).hasAtLeastOneElementOfType(ReaperFailed.class));
        long healed = System.nanoTime();
        connections.heal();
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(recovery.incidents(dead.id())).hasSize(1));
        assertThat(Duration.ofNanos(System.nanoTime() - healed))
                .as("up to 5 s to connect again, then a round of 6 s")
                .isBetween(Duration.ofSeconds(6), Duration.ofSeconds(13));
        surviveAnotherLease(living);
        assertNobodyLostATask(living);
    }

    private List<TaskId> startNodesWithRunningTasks() {
        for (int i = 1; i <= 2; i++) {
            TestNode node = new TestNode(
                    connections,
                    new TestNode.Options("node" + i, SLOTS, Duration.ofSeconds(5), 5),
                    its -> new Stubborn());
            nodes.add(node);
            node.start();
        }
        List<TaskId> ids = IntStream.range(0, 2 * SLOTS)
                .mapToObj(i -> harness.queue().enqueue("stubborn", null))
                .toList();
        await().until(() -> begun.get() == ids.size());
        return ids;
    }

    /** All of them are extended once more. */
    private void surviveAnotherLease(List<TaskId> ids) {
        List<String> before = leaseEnds();
        await().until(() -> leaseEnds().stream().noneMatch(before::contains));
        assertThat(leaseEnds()).hasSize(ids.size());
    }

    private void assertNobodyLostATask(List<TaskId> living) {
        mayEnd.countDown();
        await().untilAsserted(() -> assertThat(recovery.count(
                        "select count(*) from konduit_task_history where status = 'COMPLETED' and type = 'stubborn'"
                                + " and attempts = 1 and zombie_count = 0"))
                .isEqualTo(living.size()));
        assertThat(recovery.count("select count(*) from konduit_task_incident where type = 'stubborn'"))
                .isZero();
    }

    private static List<String> leaseEnds() {
        return harness.jdbc()
                .sql("select lock_timeout_at::text from konduit_task where type = 'stubborn' and status = 'RUNNING'")
                .query(String.class)
                .list();
    }

    private static Duration longestLeaseLeft() {
        return Duration.ofMillis(
                harness.count("select (extract(epoch from max(lock_timeout_at) - clock_timestamp()) * 1000)::bigint"
                        + " from konduit_task where type = 'stubborn'"));
    }
}
