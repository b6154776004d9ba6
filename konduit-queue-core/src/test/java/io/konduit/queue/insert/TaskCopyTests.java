package io.konduit.queue.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.Priority;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.StatementProbe;
import io.konduit.queue.StoredTask;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.ClaimedTask;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Bulks that are large enough for COPY. */
@Timeout(60)
class TaskCopyTests {
    private static final int MANY = 2_500;

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final TaskQueue queue = harness.queue();

    @Test
    void everyColumnArrivesAsAnInsertWritesIt() {
        Instant runAt = Instant.parse("2031-02-03T04:05:06.123456789Z");
        List<TaskRequest> kinds = List.of(
                TaskRequest.of("plain", 1),
                TaskRequest.of("mail", Map.of("to", "Zoë ✉ \uD83D\uDE00", "text", "a\tb\n\"c\" \\ d"))
                        .queue("mail")
                        .priority(Priority.CRITICAL)
                        .runAt(runAt)
                        .maxAttempts(7)
                        .reapable(false)
                        .lockTimeout(Duration.ofSeconds(90))
                        .timeout(Duration.ofMillis(1_500)),
                TaskRequest.of("old", null).runAt(Instant.parse("1999-12-31T23:59:59.999999Z")),
                TaskRequest.of("large", "x".repeat(200_000)));
        List<TaskId> inserted = kinds.stream().map(queue::enqueue).toList();

        List<TaskId> copied = queue.enqueueAll(many(kinds));

        for (int i = 0; i < 40; i++) {
            assertThat(row(copied.get(i))).isEqualTo(row(inserted.get(i % kinds.size())));
        }
    }

    @Test
    void tasksAreDueAtOnceAndRunInTheOrderOfTheRequests() {
        List<TaskId> ids = queue.enqueueAll(numbered(MANY));

        assertThat(ids).hasSize(MANY).isSorted().doesNotHaveDuplicates();
        assertThat(harness.claim(harness.newWorker(), MANY).stream()
                        .map(ClaimedTask::payload)
                        .toList())
                .containsExactlyElementsOf(
                        IntStream.range(0, MANY).mapToObj(String::valueOf).toList());
    }

    @Test
    void delayCountsFromTheDatabasesClock() {
        List<TaskId> ids = queue.enqueueAll(IntStream.range(0, MANY)
                .mapToObj(i -> TaskRequest.of("later", i).delay(Duration.ofHours(2)))
                .toList());

        assertThat(harness.count("select count(*) from konduit_task where run_at - created_at = interval '2 hours'"
                        + " and created_at between clock_timestamp() - interval '1 minute' and clock_timestamp()"))
                .isEqualTo(ids.size());
    }

    @Test
    void bulkDisappearsWhenTheCallerRollsBack() {
        harness.transaction().executeWithoutResult(status -> {
            queue.enqueueAll(numbered(MANY));
            assertThat(count()).isEqualTo(MANY);
            status.setRollbackOnly();
        });
        assertThat(count()).isZero();
    }

    @Test
    void badRequestAmongManyStoresNothingAndLeavesTheConnectionWhole() {
        List<TaskRequest> requests = new ArrayList<>(numbered(MANY));
        requests.set(MANY - 1, TaskRequest.of("mail", 1).maxAttempts(0));
        try (HikariDataSource pool = harness.testDatabase().newPool(1);
                ControlPool control = new ControlPool(pool, 1, Duration.ofSeconds(10))) {
            TaskQueue own = new QueueFixture(new QueueDatabase(pool, control, null)).queue();
            assertThatThrownBy(() -> own.enqueueAll(requests)).isInstanceOf(InvalidTaskException.class);
            assertThat(count()).isZero();
            assertThat(own.enqueueAll(numbered(MANY))).hasSize(MANY);
        }
    }

    @Test
    void badRequestAmongManyLeavesTheCallersTransactionWhole() {
        List<TaskRequest> requests = new ArrayList<>(numbered(MANY));
        requests.set(MANY - 1, TaskRequest.of("mail", 1).maxAttempts(0));
        TaskId other = harness.transaction().execute(status -> {
            assertThatThrownBy(() -> queue.enqueueAll(requests)).isInstanceOf(InvalidTaskException.class);
            return queue.enqueue("mail", "Ada");
        });
        assertThat(harness.status(other)).isEqualTo("PENDING");
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void rowThatTheDatabaseRefusesStoresNothing() {
        harness.testDatabase().execute("alter table konduit_task add constraint no_thirteen check (payload <> '13')");
        try {
            assertThatThrownBy(() -> queue.enqueueAll(numbered(MANY)))
                    .isInstanceOf(DataIntegrityViolationException.class)
                    .hasMessageContaining("no_thirteen");
            assertThat(count()).isZero();
        } finally {
            harness.testDatabase().execute("alter table konduit_task drop constraint no_thirteen");
        }
        assertThat(queue.enqueueAll(numbered(MANY))).hasSize(MANY);
    }

    @Test
    void commitsByItselfAlsoOnAPoolThatDoesNot() {
        try (HikariDataSource pool = harness.testDatabase().newPool(1);
                ControlPool control = new ControlPool(pool, 1, Duration.ofSeconds(10))) {
            pool.setAutoCommit(false);
            new QueueFixture(new QueueDatabase(pool, control, null)).queue().enqueueAll(numbered(MANY));
        }
        assertThat(count()).isEqualTo(MANY);
    }

    @Test
    void bulkIsInsertedWhereTheDriverIsHidden() {
        StatementProbe hiding = new StatementProbe(
                new DelegatingDataSource(harness.testDatabase().dataSource()) {
                    @Override
                    public Connection getConnection() throws SQLException {
                        Connection connection = super.getConnection();
                        return (Connection) Proxy.newProxyInstance(
                                TaskCopyTests.class.getClassLoader(),
                                new Class<?>[] {Connection.class},
                                (proxy, method, arguments) -> method.getName().equals("isWrapperFor")
                                        ? (Object) false
                                        : method.invoke(connection, arguments));
                    }
                });
        try (ControlPool control = new ControlPool(harness.testDatabase().dataSource(), 1, Duration.ofSeconds(10))) {
            List<TaskId> ids = new QueueFixture(new QueueDatabase(hiding, control, null))
                    .queue()
                    .enqueueAll(numbered(MANY));
            assertThat(ids).hasSize(MANY).isSorted().doesNotHaveDuplicates();
        }
        assertThat(hiding.count("insert into konduit_task")).isEqualTo(1);
        assertThat(count()).isEqualTo(MANY);
    }

    /** Every column but those that two rows never share. */
    private static JsonNode row(TaskId id) {
        StoredTask task = harness.row(id);
        ObjectNode comparable = (ObjectNode) JsonMapper.shared().readTree(task.everything());
        comparable.remove(List.of("id", "created_at"));
        if (task.type().equals("plain") || task.type().equals("large")) {
            comparable.remove("run_at"); // the time of the insert
        }
        return comparable;
    }

    private static long count() {
        return harness.count("select count(*) from konduit_task");
    }

    private static List<TaskRequest> numbered(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> TaskRequest.of("mail", i))
                .toList();
    }

    private static List<TaskRequest> many(List<TaskRequest> kinds) {
        return IntStream.range(0, 2_000)
                .mapToObj(i -> kinds.get(i < 40 || i % kinds.size() != 3 ? i % kinds.size() : 0))
                .toList();
    }
}
