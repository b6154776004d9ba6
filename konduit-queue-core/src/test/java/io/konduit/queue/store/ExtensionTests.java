package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.jdbc.QueueDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

class ExtensionTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final TaskQueue queue = harness.queue();
    private final LeaseRepository worker = harness.newWorker();

    private List<Lease> claimed(int count) {
        queue.enqueueAll(
                IntStream.range(0, count).mapToObj(i -> TaskRequest.of("a", i)).toList());
        return harness.claim(worker, count).stream().map(ClaimedTask::lease).toList();
    }

    private static Map<Lease, Duration> each(List<Lease> leases, Duration lockTimeout) {
        return leases.stream().collect(Collectors.toMap(Function.identity(), lease -> lockTimeout));
    }

    @Test
    @Tag("H4")
    @Tag("L20")
    @Tag("T3")
    void extendsEachLeaseByItsOwnTimeFromTheClockOfTheDatabase() {
        List<Lease> leases = claimed(2);
        leases.forEach(lease -> harness.expireLease(lease.taskId(), Duration.ofMinutes(1)));
        assertThat(worker.extend(Map.of(leases.get(0), Duration.ofSeconds(10), leases.get(1), Duration.ofHours(1))))
                .containsOnly(
                        Map.entry(leases.get(0), ExtensionResult.EXTENDED),
                        Map.entry(leases.get(1), ExtensionResult.EXTENDED));
        assertThat(secondsLeft(leases.get(0))).isBetween(1L, 10L);
        assertThat(secondsLeft(leases.get(1))).isBetween(3_500L, 3_600L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"for update", "for no key update", "for share"})
    @Tag("H5")
    void rowThatSomebodyHasLockedIsBusyAndNeverLost(String lock) throws Exception {
        List<Lease> leases = claimed(3);
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute(
                    "select 1 from konduit_task where id = " + leases.get(1).taskId() + " " + lock);
            assertThat(worker.extend(each(leases, Duration.ofMinutes(5))))
                    .containsOnly(
                            Map.entry(leases.get(0), ExtensionResult.EXTENDED),
                            Map.entry(leases.get(1), ExtensionResult.BUSY),
                            Map.entry(leases.get(2), ExtensionResult.EXTENDED));
            other.rollback();
        }
        assertThat(worker.extend(each(leases, Duration.ofMinutes(5)))).containsValue(ExtensionResult.EXTENDED);
        assertThat(worker.extend(each(leases, Duration.ofMinutes(5))).values()).containsOnly(ExtensionResult.EXTENDED);
    }

    @Test
    @Tag("H5")
    void answersExtendedBusyAndLostInOneStatement() throws Exception {
        List<Lease> leases = claimed(3);
        harness.takeBack(leases.get(2).taskId());
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute(
                    "select 1 from konduit_task where id = " + leases.get(1).taskId() + " for update");
            assertThat(worker.extend(each(leases, Duration.ofMinutes(5))))
                    .containsOnly(
                            Map.entry(leases.get(0), ExtensionResult.EXTENDED),
                            Map.entry(leases.get(1), ExtensionResult.BUSY),
                            Map.entry(leases.get(2), ExtensionResult.LOST));
        }
    }

    /** Somebody is taking the row away but has not committed: it may still be mine. */
    @Test
    @Tag("H5")
    void uncommittedTakeoverIsBusyAndItsCommitIsLost() {
        Lease lease = claimed(1).get(0);
        harness.transaction().executeWithoutResult(status -> {
            assertThat(harness.tasks().cancel(TaskId.of(lease.taskId()), "test", null))
                    .isTrue();
            assertThat(worker.extend(each(List.of(lease), Duration.ofMinutes(5))))
                    .containsOnly(Map.entry(lease, ExtensionResult.BUSY));
        });
        assertThat(worker.extend(each(List.of(lease), Duration.ofMinutes(5))))
                .containsOnly(Map.entry(lease, ExtensionResult.LOST));
    }

    @Test
    void guardLetsAnExtensionBeBusyUntilItsTransactionEnds() {
        Lease lease = claimed(1).get(0);
        harness.transaction().executeWithoutResult(status -> {
            assertThat(worker.guardInTransaction(lease)).isTrue();
            assertThat(worker.extend(each(List.of(lease), Duration.ofMinutes(5))))
                    .containsOnly(Map.entry(lease, ExtensionResult.BUSY));
        });
        assertThat(worker.extend(each(List.of(lease), Duration.ofMinutes(5))))
                .containsOnly(Map.entry(lease, ExtensionResult.EXTENDED));
    }

    @Test
    @Tag("H4")
    void extensionIsHeapOnly() {
        List<Lease> leases = claimed(10);
        // the versions that enqueue and claim left behind would fill the page
        harness.testDatabase().execute("vacuum konduit_task");
        database().inControlTransaction(() -> {
            Updates before = updates();
            worker.extend(each(leases, Duration.ofMinutes(5)));
            Updates after = updates();
            assertThat(after.all() - before.all()).isEqualTo(10);
            assertThat(after.heapOnly() - before.heapOnly()).isEqualTo(10);
            return null;
        });
    }

    /** Rows that this transaction has updated so far. */
    private record Updates(long all, long heapOnly) {}

    private static Updates updates() {
        return JdbcClient.create(database().control())
                .sql("select n_tup_upd, n_tup_hot_upd from pg_stat_xact_user_tables where relname = 'konduit_task'")
                .query((row, number) -> new Updates(row.getLong(1), row.getLong(2)))
                .single();
    }

    @Test
    void extendsNothingForNothing() {
        assertThat(worker.extend(Map.of())).isEmpty();
    }

    @Test
    @Tag("C1")
    void checkpointStoresProgressAndExtendsTheLease() {
        Lease lease = claimed(1).get(0);
        harness.expireLease(lease.taskId(), Duration.ofMinutes(1));
        assertThat(worker.checkpoint(lease, Duration.ofMinutes(5), "{\"row\": 7}"))
                .isTrue();
        assertThat(harness.column(lease.taskId(), "checkpoint::text", String.class))
                .isEqualTo("{\"row\": 7}");
        assertThat(secondsLeft(lease)).isBetween(200L, 300L);
        assertThat(queue.find(TaskId.of(lease.taskId())).orElseThrow().lastCheckpointAt())
                .isNotNull();
    }

    @Test
    @Tag("C1")
    void checkpointInATransactionCommitsWithIt() {
        Lease lease = claimed(1).get(0);
        harness.transaction().executeWithoutResult(status -> {
            assertThat(worker.checkpoint(lease, Duration.ofMinutes(5), "1")).isTrue();
            status.setRollbackOnly();
        });
        assertThat(harness.column(lease.taskId(), "checkpoint is null", Boolean.class))
                .isTrue();
    }

    private static long secondsLeft(Lease lease) {
        return harness.column(
                lease.taskId(), "extract(epoch from lock_timeout_at - clock_timestamp())::bigint", Long.class);
    }

    private static QueueDatabase database() {
        return harness.database();
    }
}
