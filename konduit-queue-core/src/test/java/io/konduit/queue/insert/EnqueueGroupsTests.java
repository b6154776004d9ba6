package io.konduit.queue.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.StatementProbe;
import io.konduit.queue.Submission;
import io.konduit.queue.TaskId;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.UserCredentialsDataSourceAdapter;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** Enqueues at the same time, outside of transactions, on a database. What one caller suffers no other one does. */
@Timeout(60)
class EnqueueGroupsTests {
    private static final String INSERT = "insert into konduit_task";
    private static final Duration NEVER = Duration.ofHours(1);

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final StatementProbe probe =
            new StatementProbe(harness.testDatabase().dataSource());
    private final ControlPool control = new ControlPool(harness.testDatabase().dataSource(), 1, Duration.ofSeconds(10));
    private final QueueDatabase database = new QueueDatabase(probe, control, null);
    private final TaskInserts tasks = new TaskInserts(database);
    private final TaskInserts shared = harness.inserts();
    private final List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch released = new CountDownLatch(1);

    @AfterEach
    void close() {
        released.countDown();
        control.close();
    }

    @Test
    void callersThatArriveMeanwhileShareTheNextStatement() throws Exception {
        EnqueueGroups groups = groups(Duration.ZERO, NEVER);
        FutureTask<Submission> first = heldUp(() -> groups.enqueue(task(0)));
        List<FutureTask<Submission>> others = waiting(groups, 1, 2, 3);

        released.countDown();

        assertThat(payload(first)).isEqualTo("0");
        for (int i = 0; i < 3; i++) {
            assertThat(payload(others.get(i))).isEqualTo(String.valueOf(i + 1));
        }
        assertThat(sizes).containsExactly(1, 3);
        assertThat(probe.count(INSERT)).isEqualTo(2);
    }

    /** Otherwise the first to come back would go alone each time, and the others after it. */
    @Test
    void batchWaitsForCallersOfTheLastOneAndGoesWhenAllAreThere() throws Exception {
        EnqueueGroups groups = groups(NEVER, NEVER);
        FutureTask<Integer> first = heldUp(() -> enqueue(groups, 21));
        List<FutureTask<Integer>> others = IntStream.range(0, 3)
                .mapToObj(caller -> started(() -> enqueue(groups, 20)))
                .toList();
        await().until(() -> groups.waiting() == 3);

        released.countDown();

        first.get();
        for (FutureTask<Integer> other : others) {
            other.get();
        }
        assertThat(sizes).startsWith(1).hasSize(21);
        assertThat(sizes.subList(1, 21)).containsOnly(4);
    }

    @Test
    void singleCallerNeverWaits() {
        EnqueueGroups groups = groups(NEVER, NEVER);
        for (int i = 0; i < 3; i++) {
            assertThat(groups.enqueue(task(i)).created()).isTrue();
        }
        assertThat(sizes).containsExactly(1, 1, 1);
    }

    @Test
    void expectedCallerThatDoesNotComeIsNotWaitedForLong() throws Exception {
        EnqueueGroups groups = groups(Duration.ofMillis(1), NEVER);
        FutureTask<Submission> first = heldUp(() -> groups.enqueue(task(0)));
        List<FutureTask<Submission>> others = waiting(groups, 1, 2, 3);
        released.countDown();
        first.get();
        for (FutureTask<Submission> other : others) {
            other.get();
        }

        groups.enqueue(task(4));
        groups.enqueue(task(5));

        assertThat(sizes).containsExactly(1, 3, 1, 1);
    }

    @Test
    void onlyTheTaskThatTheDatabaseRefusesFails() throws Exception {
        harness.testDatabase().execute("alter table konduit_task add constraint no_thirteen check (payload <> '13')");
        try {
            EnqueueGroups groups = groups(Duration.ZERO, NEVER);
            FutureTask<Submission> first = heldUp(() -> groups.enqueue(task(0)));
            List<FutureTask<Submission>> others = waiting(groups, 12, 13, 14);

            released.countDown();

            assertThat(payload(first)).isEqualTo("0");
            assertThat(payload(others.get(0))).isEqualTo("12");
            assertThat(payload(others.get(2))).isEqualTo("14");
            assertThatThrownBy(result(others.get(1))).isInstanceOf(DataIntegrityViolationException.class);
            assertThat(payloads()).containsExactlyInAnyOrder("0", "12", "14");
        } finally {
            harness.testDatabase().execute("alter table konduit_task drop constraint no_thirteen");
        }
    }

    /** The database may have stored them, so nobody tries again. */
    @Test
    void whenTheReplyIsLostEveryCallerHearsOfItAndNothingIsStoredTwice() throws Exception {
        EnqueueGroups groups = groups(Duration.ZERO, NEVER);
        FutureTask<Submission> first = heldUp(() -> groups.enqueue(task(0)));
        List<FutureTask<Submission>> others = waiting(groups, 1, 2, 3);
        probe.onceBefore(INSERT, () -> {
            probe.loseReplyOf(INSERT);
            return null;
        });

        released.countDown();

        assertThat(payload(first)).isEqualTo("0");
        int toldThatOthersWereWithIt = 0;
        for (FutureTask<Submission> other : others) {
            assertThatThrownBy(result(other)).isInstanceOf(DataAccessResourceFailureException.class);
            if (failure(other).getMessage().contains("in one statement with others")) {
                toldThatOthersWereWithIt++;
                assertThat(failure(other).getMessage()).contains("'mail'").contains("before you enqueue it again");
                assertThat(failure(other).getCause()).isInstanceOf(DataAccessResourceFailureException.class);
            }
        }
        assertThat(toldThatOthersWereWithIt).as("all but the one that sent").isEqualTo(2);
        assertThat(payloads()).containsExactlyInAnyOrder("0", "1", "2", "3");
    }

    /** A pool that was asked by an interrupted thread, for example: the others have nothing to do with it. */
    @Test
    void whenTheSenderGetsNoConnectionTheOthersGoByThemselves() throws Exception {
        AtomicBoolean refuse = new AtomicBoolean();
        EnqueueGroups groups = new EnqueueGroups(
                all -> {
                    if (refuse.getAndSet(false)) {
                        throw new CannotGetJdbcConnectionException("interrupted");
                    }
                    return tasks.insertGroup(all);
                },
                Duration.ZERO,
                NEVER);
        FutureTask<Submission> first = heldUp(() -> groups.enqueue(task(0)));
        List<FutureTask<Submission>> others = waiting(groups, 1, 2, 3);
        refuse.set(true);

        released.countDown();

        first.get();
        for (FutureTask<Submission> other : others) {
            other.get();
        }
        assertThat(payloads()).containsExactlyInAnyOrder("0", "1", "2", "3");
    }

    /** The connection of another caller may have been lost without a word. */
    @Test
    void callerBehindAStatementThatHangsGoesByItself() throws Exception {
        EnqueueGroups groups = groups(Duration.ZERO, Duration.ofMillis(20));
        FutureTask<Submission> first = heldUp(() -> groups.enqueue(task(0)));
        List<FutureTask<Submission>> others =
                List.of(started(() -> groups.enqueue(task(1))), started(() -> groups.enqueue(task(2))));

        for (FutureTask<Submission> other : others) {
            other.get();
        }
        groups.enqueue(task(3)); // the statement has been hanging for too long to wait at all

        assertThat(first.isDone()).isFalse();
        assertThat(sizes).containsExactly(1, 1, 1, 1);
        released.countDown();
        assertThat(payload(first)).isEqualTo("0");
        assertThat(payloads()).containsExactlyInAnyOrder("0", "1", "2", "3");
    }

    @Test
    void interruptedCallerGetsItsAnswerAndStaysInterrupted() throws Exception {
        EnqueueGroups groups = groups(Duration.ZERO, NEVER);
        FutureTask<Submission> first = heldUp(() -> groups.enqueue(task(0)));
        AtomicBoolean stayed = new AtomicBoolean();
        FutureTask<Submission> interrupted = new FutureTask<>(() -> {
            Submission answer = groups.enqueue(task(1));
            stayed.set(Thread.currentThread().isInterrupted());
            return answer;
        });
        Thread thread = new Thread(interrupted);
        thread.start();
        await().until(() -> groups.waiting() == 1);
        thread.interrupt();
        waiting(groups, 2);

        released.countDown();

        first.get();
        assertThat(payload(interrupted)).isEqualTo("1");
        assertThat(stayed).isTrue();
    }

    @Test
    void errorOfTheSenderReachesEveryCaller() throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        EnqueueGroups groups = new EnqueueGroups(
                all -> {
                    if (broken.get()) {
                        throw new OutOfMemoryError("of the test");
                    }
                    return tasks.insertGroup(all);
                },
                Duration.ZERO,
                NEVER);
        FutureTask<Submission> first = heldUp(() -> groups.enqueue(task(0)));
        List<FutureTask<Submission>> others = waiting(groups, 1, 2);
        broken.set(true);

        released.countDown();

        first.get();
        assertThat(List.of(failure(others.get(0)), failure(others.get(1))))
                .hasAtLeastOneElementOfType(OutOfMemoryError.class)
                .hasAtLeastOneElementOfType(DataAccessResourceFailureException.class);
        broken.set(false);
        assertThat(groups.enqueue(task(3)).created()).isTrue();
    }

    @Test
    void everyCallerGetsItsOwnIdAndTransactionsStayApart() throws Exception {
        List<FutureTask<List<TaskId>>> callers = IntStream.range(0, 8)
                .mapToObj(caller -> started(() -> {
                    List<TaskId> ids = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        NewTask task = task("q" + i % 2, caller * 1_000 + i);
                        if (caller % 4 == 3) {
                            ids.add(harness.transaction().execute(status -> {
                                status.setRollbackOnly();
                                return shared.enqueue(task).id();
                            }));
                        } else {
                            ids.add(shared.enqueue(task).id());
                        }
                    }
                    return ids;
                }))
                .toList();
        for (int caller = 0; caller < callers.size(); caller++) {
            List<TaskId> ids = callers.get(caller).get();
            for (int i = 0; i < 100; i++) {
                assertThat(stored(ids.get(i)))
                        .isEqualTo(caller % 4 == 3 ? List.of() : List.of("q" + i % 2 + " " + (caller * 1_000 + i)));
            }
        }
    }

    /** Nobody should have to wait until a large payload of somebody else is written. */
    @Test
    void payloadsOfMoreThan32KibiCharactersAreNotShared() throws Exception {
        await().until(() -> transactionsOf(200, 32 * 1024) < 200);
        assertThat(transactionsOf(200, 32 * 1024 + 1)).isEqualTo(200);
    }

    /** In how many transactions so many tasks are stored that eight callers enqueue at the same time. */
    private long transactionsOf(int count, int chars) throws Exception {
        NewTask task = new NewTask(
                "default",
                "mail",
                '"' + "x".repeat(chars - 2) + '"',
                2,
                null,
                Duration.ZERO,
                null,
                null,
                null,
                null,
                null,
                null);
        harness.testDatabase().execute("truncate konduit_task");
        List<FutureTask<Void>> callers = IntStream.range(0, 8)
                .mapToObj(caller -> EnqueueGroupsTests.<Void>started(() -> {
                    for (int i = 0; i < count / 8; i++) {
                        shared.enqueue(task);
                    }
                    return null;
                }))
                .toList();
        for (FutureTask<Void> caller : callers) {
            caller.get();
        }
        return harness.count("select count(distinct xmin::text) from konduit_task");
    }

    @Test
    void statementInATransactionIsNotShared() {
        QueueDatabase plain = harness.database();
        assertThat(plain.canShareStatements()).isTrue();
        harness.transaction().executeWithoutResult(status -> assertThat(plain.canShareStatements())
                .isFalse());
        assertThat(plain.canShareStatements()).isTrue();
    }

    @Test
    void statementIsNotSharedWhenTheDataSourceLooksAtTheThread() {
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return "tenant";
            }
        };
        routing.setTargetDataSources(Map.of("tenant", harness.testDatabase().dataSource()));
        routing.afterPropertiesSet();
        assertThat(new QueueDatabase(routing, control, null).canShareStatements())
                .isFalse();
        assertThat(new QueueDatabase(new DelegatingDataSource(routing), control, null).canShareStatements())
                .isFalse();
    }

    /** It may choose by a tenant of the thread, for all that is known. */
    @Test
    void statementIsSharedOnlyOverDataSourcesThatAreKnown() {
        DataSource pool = harness.testDatabase().dataSource();
        assertThat(canShare(pool)).isTrue();
        assertThat(canShare(new TransactionAwareDataSourceProxy(pool))).isTrue();
        assertThat(canShare(new LazyConnectionDataSourceProxy(pool))).isTrue();
        assertThat(canShare(new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(pool))))
                .isTrue();

        assertThat(canShare(new DelegatingDataSource(pool))).isFalse();
        assertThat(canShare(new UserCredentialsDataSourceAdapter() {
                    {
                        setTargetDataSource(pool);
                    }
                }))
                .isFalse();
        assertThat(canShare(new LazyConnectionDataSourceProxy(pool) {})).isFalse();
        assertThat(canShare(new LazyConnectionDataSourceProxy(new DelegatingDataSource(pool))))
                .isFalse();
        assertThat(canShare(new StatementProbe(pool))).isFalse();
        try (HikariDataSource subclass = new HikariDataSource() {}) {
            subclass.setJdbcUrl(harness.testDatabase().jdbcUrl());
            subclass.setMaximumPoolSize(1);
            assertThat(canShare(subclass)).isFalse();
        }
    }

    private boolean canShare(DataSource dataSource) {
        return new QueueDatabase(dataSource, control, null).canShareStatements();
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void statementOfAVirtualThreadIsNotShared() throws Exception {
        FutureTask<Boolean> like = new FutureTask<>(harness.database()::canShareStatements);
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        start.invoke(null, like);
        assertThat(like.get()).isFalse();
    }

    /** Lets the first statement of the call begin, and not end before the release. */
    private <T> FutureTask<T> heldUp(Callable<T> call) {
        CountDownLatch there = new CountDownLatch(1);
        probe.onceBefore(INSERT, () -> {
            there.countDown();
            return released.await(30, TimeUnit.SECONDS);
        });
        FutureTask<T> started = started(call);
        await().until(() -> there.getCount() == 0);
        return started;
    }

    /** One after another, so that their order is known. */
    private List<FutureTask<Submission>> waiting(EnqueueGroups groups, int... payloads) {
        List<FutureTask<Submission>> calls = new ArrayList<>();
        for (int payload : payloads) {
            int before = groups.waiting();
            calls.add(started(() -> groups.enqueue(task(payload))));
            await().until(() -> groups.waiting() > before);
        }
        return calls;
    }

    private EnqueueGroups groups(Duration hold, Duration patience) {
        return new EnqueueGroups(
                all -> {
                    sizes.add(all.size());
                    return tasks.insertGroup(all);
                },
                hold,
                patience);
    }

    private static int enqueue(EnqueueGroups groups, int times) {
        for (int i = 0; i < times; i++) {
            groups.enqueue(task(i));
        }
        return times;
    }

    private static <T> FutureTask<T> started(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        new Thread(task).start();
        return task;
    }

    private static NewTask task(int payload) {
        return task("default", payload);
    }

    private static NewTask task(String queue, int payload) {
        return new NewTask(
                queue, "mail", String.valueOf(payload), 2, null, Duration.ZERO, null, null, null, null, null, null);
    }

    private static String payload(FutureTask<Submission> call) throws Exception {
        return harness.jdbc()
                .sql("select payload::text from konduit_task where id = :id")
                .param("id", call.get().id().value())
                .query(String.class)
                .single();
    }

    private static List<String> stored(TaskId id) {
        return harness.jdbc()
                .sql("select queue || ' ' || payload from konduit_task where id = :id")
                .param("id", id.value())
                .query(String.class)
                .list();
    }

    private static List<String> payloads() {
        return harness.jdbc()
                .sql("select payload::text from konduit_task")
                .query(String.class)
                .list();
    }

    private static ThrowingCallable result(FutureTask<Submission> call) {
        return () -> {
            throw failure(call);
        };
    }

    private static Throwable failure(FutureTask<Submission> call) throws InterruptedException {
        try {
            throw new AssertionError("Expected a failure, but it was stored: " + call.get());
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }
}
