package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.CountingDriver;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TwoSessions;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.ExtensionResult;
import io.konduit.queue.store.LeaseRepository;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** What the fence sends on the connection of a handler's transaction, and what others meet meanwhile. */
@Tag("F3")
@Timeout(60)
class LeaseFenceCostTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final CountingDriver.Journal journal =
            CountingDriver.journalFor(harness.testDatabase().jdbcUrl());
    private HikariDataSource pool;
    private QueueFixture recovery;
    private LeaseRepository leases;
    private LeaseFence fence;
    private ClaimedTask task;
    private RunningTask run;
    private DataSourceTransactionManager manager;

    @BeforeEach
    void beginARun() {
        pool = new HikariDataSource();
        pool.setJdbcUrl(journal.jdbcUrl());
        pool.setMaximumPoolSize(2);
        recovery = new QueueFixture(harness.database());
        QueueDatabase database = QueueFixture.databaseOn(pool);
        leases = new LeaseRepository(database, recovery.newWorker().worker());
        fence = new LeaseFence(database, leases);
        manager = new DataSourceTransactionManager(pool);
        manager.addListener(fence);
        task = recovery.running(leases);
        run = new RunningTask(task, Duration.ZERO, 0);
        // the default isolation is asked for once
        inTransaction(TransactionDefinition.ISOLATION_DEFAULT, () -> {});
        journal.clear();
    }

    @AfterEach
    void closeThePool() {
        pool.close();
    }

    @Test
    void aReadCommittedTransactionPaysForTheGuardOnly() {
        inTransaction(TransactionDefinition.ISOLATION_DEFAULT, this::work);
        inTransaction(TransactionDefinition.ISOLATION_READ_COMMITTED, this::work);
        assertThat(sent()).containsExactly("work", "guard", "work", "guard");
        assertThat(run.busy(System.nanoTime())).isFalse();
    }

    @Test
    void aTransactionWithASnapshotLocksTheRowBeforeAllElse() {
        inTransaction(TransactionDefinition.ISOLATION_REPEATABLE_READ, () -> {
            assertThat(run.busy(System.nanoTime())).isTrue();
            work();
        });
        assertThat(sent()).containsExactly("lock", "work", "extend");
        assertThat(run.busy(System.nanoTime())).isFalse();
    }

    /** The extension was under way when the transaction began: the row it waits for has changed after its snapshot. */
    @Test
    void aTransactionWithASnapshotStartsOverWhenItMeetsAnExtension() throws Exception {
        TwoSessions sessions = new TwoSessions(harness);
        LeaseRepository extending = new LeaseRepository(sessions.first(), leases.worker());
        TwoSessions.Waiting<Boolean> waiting = sessions.whileOpen(
                () -> assertThat(extending.extend(Map.of(task.lease(), Duration.ofMinutes(5))))
                        .containsEntry(task.lease(), ExtensionResult.EXTENDED),
                () -> sessions.waits(() -> {
                    inTransaction(TransactionDefinition.ISOLATION_REPEATABLE_READ, this::work);
                    return true;
                }));
        assertThat(waiting.result()).isTrue();
        assertThat(sent()).containsExactly("lock", "lock", "work", "extend");
    }

    private void work() {
        new JdbcTemplate(pool).queryForObject("select 'work'", String.class);
    }

    /** A run is bound to its thread, and a test has another one than what was set up for it. */
    private void inTransaction(int isolation, Runnable work) {
        fence.bind(run);
        TransactionTemplate transaction = new TransactionTemplate(manager);
        transaction.setIsolationLevel(isolation);
        transaction.executeWithoutResult(status -> work.run());
    }

    private List<String> sent() {
        return journal.statements().stream()
                .map(sql -> sql.contains("for share")
                        ? "guard"
                        : sql.contains("for no key update")
                                ? "lock"
                                : sql.contains("update konduit_task") ? "extend" : sql.contains("work") ? "work" : sql)
                .toList();
    }
}
