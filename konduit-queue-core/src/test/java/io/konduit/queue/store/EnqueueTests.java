package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.CountedQueue;
import io.konduit.queue.Priority;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.insert.NewTask;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.settings.PayloadSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

class EnqueueTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final TaskQueue queue = harness.queue();

    @Test
    @Tag("S1")
    @Tag("T1")
    @Tag("I1")
    void enqueueIsThereWhenCallerCommits() {
        TaskId id = harness.transaction().execute(status -> queue.enqueue("mail", "Ada"));
        assertThat(harness.status(id)).isEqualTo("PENDING");
    }

    @Test
    @Tag("S1")
    void enqueueDisappearsWhenCallerRollsBack() {
        TaskId id = harness.transaction().execute(status -> {
            TaskId enqueued = queue.enqueue("mail", "Ada");
            status.setRollbackOnly();
            return enqueued;
        });
        assertThat(harness.status(id)).isEqualTo("GONE");
    }

    @Test
    @Tag("S1")
    void enqueueIsNotClaimableBeforeCallerCommits() {
        harness.transaction().executeWithoutResult(status -> {
            queue.enqueue("mail", "Ada");
            assertThat(harness.claim(harness.newWorker(), 10)).isEmpty();
        });
        assertThat(harness.claim(harness.newWorker(), 10)).hasSize(1);
    }

    @Test
    void enqueueCommitsByItselfWithoutTransaction() {
        assertThat(harness.status(queue.enqueue("mail", "Ada"))).isEqualTo("PENDING");
    }

    @Test
    void enqueueCommitsByItselfAlsoOnPoolThatDoesNot() {
        try (HikariDataSource pool = harness.testDatabase().newPool(2);
                ControlPool control = new ControlPool(pool, 2, Duration.ofSeconds(10))) {
            pool.setAutoCommit(false);
            TaskQueue own = new QueueFixture(new QueueDatabase(pool, control, null)).queue();
            TaskId one = own.enqueue("mail", "Ada");
            List<TaskId> many = own.enqueueAll(List.of(TaskRequest.of("mail", 1), TaskRequest.of("mail", 2)));
            TaskId unique = own.enqueue(TaskRequest.of("mail", 3).uniqueKey("k"));
            assertThat(Stream.of(one, many.get(0), many.get(1), unique).map(harness::status))
                    .containsOnly("PENDING");
            assertThat(own.cancel(one)).isTrue();
            assertThat(harness.status(one)).isEqualTo("CANCELLED");
        }
    }

    @Test
    void enqueueIsExactlyOneStatement() {
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            TaskQueue own = new QueueFixture(counted.database()).queue();
            TransactionTemplate transaction =
                    new TransactionTemplate(new DataSourceTransactionManager(counted.application()));
            assertThat(counted.statementsOf(() -> own.enqueue("mail", "Ada"))).hasSize(1);
            assertThat(counted.statementsOf(
                            () -> transaction.executeWithoutResult(status -> own.enqueue("mail", "Ada"))))
                    .hasSize(1);
            assertThat(counted.statementsOf(
                            () -> own.enqueue(TaskRequest.of("mail", "Ada").uniqueKey("free"))))
                    .hasSize(1);
        }
    }

    @Test
    void enqueueAllOfAThousandIsOneStatement() {
        List<TaskRequest> requests = IntStream.range(0, 1_000)
                .mapToObj(i -> TaskRequest.of("mail", i))
                .toList();
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            TaskQueue own = new QueueFixture(counted.database()).queue();
            assertThat(counted.statementsOf(() -> own.enqueueAll(requests))).hasSize(1);
        }
    }

    /** An array of PostgreSQL holds less than 1 GB. */
    @Test
    void enqueueAllOfLargePayloadsIsSeveralStatementsInOneTransaction() {
        PayloadConverter larger =
                new PayloadConverter(JsonMapper.builder().build(), new PayloadSettings(10L * 1024 * 1024, false));
        List<TaskRequest> requests = IntStream.range(0, 5)
                .mapToObj(i -> TaskRequest.of("mail", i + "x".repeat(15 * 1024 * 512)))
                .toList();
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            TaskQueue own = new QueueFixture(counted.database())
                    .engine()
                    .converter(() -> larger)
                    .build()
                    .taskQueue();
            List<TaskId> ids = new ArrayList<>();
            assertThat(counted.statementsOf(() -> ids.addAll(own.enqueueAll(requests))))
                    .filteredOn(statement -> statement.contains("insert"))
                    .hasSize(2);
            assertThat(ids).hasSize(5).isSorted();
            for (int i = 0; i < ids.size(); i++) {
                assertThat(harness.column(ids.get(i).value(), "left(payload #>> '{}', 2)", String.class))
                        .isEqualTo(i + "x");
            }
            assertThat(counted.statementsOf(() -> own.enqueueAll(requests.subList(0, 4))))
                    .hasSize(1);
        }
    }

    @Test
    void enqueueAllReturnsIdsInTheOrderOfTheRequests() {
        List<TaskRequest> requests = IntStream.range(0, 500)
                .mapToObj(i -> TaskRequest.of("mail", i)
                        .priority(Priority.ofLevel(i % 4))
                        .queue("q" + i % 3))
                .toList();
        List<TaskId> ids = queue.enqueueAll(requests);
        assertThat(ids).hasSize(500).doesNotHaveDuplicates().isSorted();
        for (int i = 0; i < ids.size(); i += 83) {
            assertThat(harness.column(ids.get(i).value(), "payload::text", String.class))
                    .isEqualTo(Integer.toString(i));
        }
    }

    @Test
    void enqueueAllOfTasksThatDifferInPayloadOnlyKeepsTheOrderToo() {
        List<TaskId> ids = queue.enqueueAll(IntStream.range(0, 500)
                .mapToObj(i -> TaskRequest.of("mail", i).delay(Duration.ofMinutes(1)))
                .toList());
        assertThat(ids).hasSize(500).doesNotHaveDuplicates().isSorted();
        assertThat(harness.jdbc()
                        .sql("select payload::text::int from konduit_task order by id")
                        .query(Integer.class)
                        .list())
                .containsExactlyElementsOf(IntStream.range(0, 500).boxed().toList());
        assertThat(harness.count("select count(distinct run_at) from konduit_task where run_at > created_at"))
                .as("all at the same time, a minute after they were made")
                .isEqualTo(1);
    }

    @Test
    void enqueueAllRunsInTheOrderOfTheRequests() {
        List<TaskId> ids = queue.enqueueAll(IntStream.range(0, 200)
                .mapToObj(i -> i % 2 == 0
                        ? TaskRequest.of("mail", i)
                        : TaskRequest.of("mail", i).uniqueKey("key " + (1_000 - i)))
                .toList());
        assertThat(harness.claim(harness.newWorker(), 200).stream().map(task -> TaskId.of(task.id())))
                .containsExactlyElementsOf(ids);
    }

    @Test
    void enqueueAllIsAllOrNothingAlsoAcrossStatements() {
        List<NewTask> tasks = IntStream.rangeClosed(0, 10_000)
                .mapToObj(i -> new NewTask(
                        "default",
                        "mail",
                        i == 10_000 ? "{" : "1",
                        2,
                        null,
                        Duration.ZERO,
                        1,
                        true,
                        null,
                        null,
                        null,
                        null))
                .toList();
        assertThatThrownBy(() -> harness.inserts().enqueueAll(tasks, false))
                .isInstanceOf(DataIntegrityViolationException.class);
        assertThat(count()).isZero();
        assertThat(harness.inserts().enqueueAll(tasks.subList(0, 10_000), false))
                .hasSize(10_000);
        assertThat(count()).isEqualTo(10_000);
    }

    @Test
    void enqueueAllOfMoreThanOneStatementHoldsKeepsTheOrder() {
        List<TaskRequest> requests = IntStream.range(0, 10_500)
                .mapToObj(i -> TaskRequest.of("mail", i))
                .toList();
        List<TaskId> ids = queue.enqueueAll(requests);
        assertThat(ids).hasSize(10_500).doesNotHaveDuplicates();
        assertThat(harness.column(ids.get(10_400).value(), "payload::text", String.class))
                .isEqualTo("10400");
    }

    @Test
    void enqueueAllOfNothingDoesNothing() {
        assertThat(queue.enqueueAll(List.of())).isEmpty();
    }

    @Test
    void delayCountsOnTheClockOfTheDatabase() {
        TaskId id = queue.enqueue(TaskRequest.of("mail", "Ada").delay(Duration.ofHours(2)));
        assertThat(harness.column(
                        id.value(),
                        "run_at - created_at between interval '119 min' and interval '121 min'",
                        Boolean.class))
                .isTrue();
        assertThat(harness.claim(harness.newWorker(), 10)).isEmpty();
    }

    @Test
    void runAtIsKeptToTheMicrosecondForOneAndForMany() {
        Instant runAt = Instant.parse("2031-03-30T01:30:00.123456Z");
        TaskRequest request = TaskRequest.of("mail", "Ada").runAt(runAt);
        TaskId one = queue.enqueue(request);
        TaskId many = queue.enqueueAll(List.of(request, request)).get(1);
        assertThat(queue.find(one).orElseThrow().runAt()).isEqualTo(runAt);
        assertThat(queue.find(many).orElseThrow().runAt()).isEqualTo(runAt);
    }

    @Test
    @Tag("T1")
    void findReadsWhatWasRequested() {
        TaskId id = queue.enqueue(TaskRequest.of("mail", "Ada")
                .queue("letters")
                .priority(Priority.HIGH)
                .maxAttempts(7)
                .reapable(false)
                .uniqueKey("order-7"));
        Task task = queue.find(id).orElseThrow();
        assertThat(task)
                .returns("letters", Task::queue)
                .returns("mail", Task::type)
                .returns(TaskStatus.PENDING, Task::status)
                .returns(Priority.HIGH, Task::priority)
                .returns(7, Task::maxAttempts)
                .returns(false, Task::reapable)
                .returns("order-7", Task::uniqueKey)
                .returns(0, Task::attempts)
                .returns(null, Task::lockedBy);
        assertThat(queue.find(TaskId.of(Long.MAX_VALUE))).isEmpty();
    }

    @Test
    void producerWithoutHandlerLeavesTheChoiceToTheWorker() {
        TaskId id = queue.enqueue("mail", "Ada");
        assertThat(queue.find(id).orElseThrow())
                .returns(null, Task::maxAttempts)
                .returns(null, Task::reapable);
    }

    @Test
    void joinsRepeatableReadAndSerializableCallers() {
        for (int isolation :
                new int[] {TransactionDefinition.ISOLATION_REPEATABLE_READ, TransactionDefinition.ISOLATION_SERIALIZABLE
                }) {
            TransactionTemplate strict = harness.transaction();
            strict.setIsolationLevel(isolation);
            TaskId[] ids = new TaskId[4];
            strict.executeWithoutResult(status -> {
                harness.count("select count(*) from konduit_task");
                ids[0] = queue.enqueue("mail", "Ada");
                ids[1] = queue.enqueue(TaskRequest.of("mail", "Ada").uniqueKey("strict " + isolation));
                ids[2] = queue.enqueue(TaskRequest.of("mail", "Ada").uniqueKey("strict " + isolation));
                ids[3] = queue.enqueueAll(List.of(TaskRequest.of("mail", 1))).get(0);
                assertThat(queue.find(ids[0])).isPresent();
            });
            assertThat(ids[2]).isEqualTo(ids[1]);
            assertThat(Stream.of(ids).map(harness::status)).containsOnly("PENDING");
        }
    }

    private static long count() {
        return harness.count("select count(*) from konduit_task");
    }
}
