package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.InvalidPayloadException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.LeaseLostException;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.LeaseRepository;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

/** Progress that a handler stores: with its transaction, only while it holds the lease, and for the next run. */
class CheckpointTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    QueueFixture recovery;

    record Page(int number) {}

    @BeforeEach
    void setUp() {
        recovery = new QueueFixture(harness.database());
    }

    static class Import {
        final Queue<String> runs = new ConcurrentLinkedQueue<>();

        @JobHandler("import")
        void run(TaskContext task) {
            Optional<Page> last = task.lastCheckpoint(Page.class);
            runs.add(task.attempt() + " from " + last + " recovering " + task.recovering());
            int next = last.map(Page::number).orElse(0) + 1;
            task.checkpoint(new Page(next));
            if (next < 3) {
                throw new IllegalStateException("page " + next + " was the last for now");
            }
        }
    }

    @Test
    @Tag("C2")
    void checkpointSurvivesRetries() {
        Import handler = new Import();
        harness.startWorker(handler);
        TaskId id = harness.queue(handler).enqueue("import", null);

        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
        assertThat(handler.runs)
                .containsExactly(
                        "1 from Optional.empty recovering false",
                        "2 from Optional[Page[number=1]] recovering false",
                        "3 from Optional[Page[number=2]] recovering false");
    }

    @Test
    @Tag("C2")
    void checkpointSurvivesTheLossOfItsWorker() {
        Import handler = new Import();
        TaskId id = harness.queue(handler).enqueue("import", null);
        LeaseRepository lost = recovery.newWorker();
        ClaimedTask task = recovery.claimOne(lost);
        context(lost, task).context.checkpoint(new Page(2));
        recovery.expire(task, Duration.ofSeconds(1));
        recovery.reclaimer().reclaimOnce();

        harness.startWorker(handler);

        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
        assertThat(handler.runs).containsExactly("2 from Optional[Page[number=2]] recovering true");
    }

    @Test
    @Tag("C2")
    void checkpointSurvivesHoldAndRelease() {
        LeaseRepository worker = recovery.newWorker();
        ClaimedTask task = recovery.running(
                worker, io.konduit.queue.TaskRequest.of("payment", null).reapable(false));
        context(worker, task).context.checkpoint(new Page(4));
        recovery.expire(task, Duration.ofSeconds(1));
        recovery.reclaimer().reclaimOnce();
        recovery.administration().release(TaskId.of(task.id()), "ada", null);

        ClaimedTask again = recovery.claimOne(worker);

        assertThat(context(worker, again).context.lastCheckpoint(Page.class)).contains(new Page(4));
    }

    @Test
    @Tag("C1")
    @Tag("T16")
    void checkpointIsStoredWithItsTimeAndExtendsTheLease() {
        LeaseRepository worker = recovery.newWorker();
        ClaimedTask task = recovery.running(worker);
        recovery.expire(task, Duration.ofSeconds(1));

        context(worker, task).context.checkpoint(new Page(1));

        assertThat(recovery.count("select count(*) from konduit_task where checkpoint = '{\"number\": 1}'"
                        + " and last_checkpoint_at between clock_timestamp() - interval '1 min' and clock_timestamp()"
                        + " and lock_timeout_at > clock_timestamp() + interval '4 min'"))
                .isEqualTo(1);
    }

    @Test
    @Tag("C1")
    void checkpointInATransactionCommitsWithIt() {
        LeaseRepository worker = recovery.newWorker();
        ClaimedTask task = recovery.running(worker);
        Run run = context(worker, task);

        run.transaction.executeWithoutResult(status -> {
            run.context.checkpoint(new Page(1));
            assertThat(recovery.count("select count(*) from konduit_task where checkpoint is not null"))
                    .as("as this transaction sees it")
                    .isEqualTo(1);
        });

        recovery.assertThatTask(task.id()).hasCheckpoint("{\"number\": 1}");
        assertThat(run.context.lastCheckpoint(Page.class)).contains(new Page(1));
    }

    @Test
    @Tag("C1")
    void checkpointInATransactionDisappearsWithIt() {
        LeaseRepository worker = recovery.newWorker();
        ClaimedTask task = recovery.running(worker);
        Run run = context(worker, task);
        run.context.checkpoint(new Page(1));

        run.transaction.executeWithoutResult(status -> {
            run.context.checkpoint(new Page(2));
            status.setRollbackOnly();
        });

        recovery.assertThatTask(task.id()).hasCheckpoint("{\"number\": 1}");
        assertThat(run.context.lastCheckpoint(Page.class)).contains(new Page(1));
    }

    @Test
    @Tag("C1")
    @Tag("F1")
    void checkpointOfALostRunIsRefused() {
        LeaseRepository worker = recovery.newWorker();
        ClaimedTask task = recovery.orphan(worker);
        Run run = context(worker, task);
        recovery.reclaimer().reclaimOnce();
        recovery.makeDue(TaskId.of(task.id()));
        ClaimedTask again = recovery.claimOne(worker);
        context(worker, again).context.checkpoint(new Page(9));

        assertThatThrownBy(() -> run.context.checkpoint(new Page(1))).isInstanceOf(LeaseLostException.class);

        recovery.assertThatTask(task.id()).hasCheckpoint("{\"number\": 9}");
        assertThat(run.context.cancelled()).isTrue();
    }

    @Test
    @Tag("C1")
    @Tag("F3")
    void transactionWithTheCheckpointOfALostRunIsRolledBackWhole() {
        LeaseRepository worker = recovery.newWorker();
        ClaimedTask task = recovery.orphan(worker);
        Run run = context(worker, task);
        recovery.reclaimer().reclaimOnce();

        assertThatThrownBy(() -> run.transaction.executeWithoutResult(status -> {
                    recovery.queue().enqueue("follow-up", null);
                    run.context.checkpoint(new Page(1));
                }))
                .isInstanceOf(LeaseLostException.class);

        assertThat(recovery.count("select count(*) from konduit_task where type = 'follow-up'"))
                .isZero();
        recovery.assertThatTask(task.id()).hasNoCheckpoint();
    }

    /** The lease ended while the transaction was open, and nobody could extend it. */
    @Test
    @Tag("C1")
    @Tag("F3")
    void transactionWithACheckpointLeavesAFreshLeaseBehind() {
        LeaseRepository worker = recovery.newWorker();
        ClaimedTask task = recovery.running(worker);
        Run run = context(worker, task);

        run.transaction.executeWithoutResult(status -> {
            run.context.checkpoint(new Page(1));
            assertThat(harness.jdbc()
                            .sql("update konduit_task set lock_timeout_at = clock_timestamp() - interval '1 min'")
                            .update())
                    .isEqualTo(1);
        });

        assertThat(recovery.count("select count(*) from konduit_task where checkpoint = '{\"number\": 1}'"
                        + " and lock_timeout_at > clock_timestamp() + interval '4 min'"))
                .isEqualTo(1);
        assertThat(recovery.reclaimer().reclaimOnce().total()).isZero();
    }

    /** The lock of a checkpoint goes with the savepoint that it is rolled back to, and the reaper may come. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("F3")
    void newTransactionAfterAnUndoneCheckpointIsRefusedWhenTheLeaseIsLost(boolean bySql) {
        LeaseRepository worker = recovery.newWorker();
        ClaimedTask task = recovery.orphan(worker);
        Run run = context(worker, task);
        TransactionTemplate apart = run.with(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        assertThatThrownBy(() -> run.transaction.executeWithoutResult(outer -> {
                    checkpointAndUndo(run, bySql);
                    assertThat(recovery.reclaimer().reclaimOnce().total()).isEqualTo(1);
                    apart.executeWithoutResult(inner -> recovery.queue().enqueue("follow-up", null));
                }))
                .isInstanceOf(LeaseLostException.class);

        assertThat(recovery.count("select count(*) from konduit_task where type = 'follow-up'"))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("F3")
    void newTransactionAfterAnUndoneCheckpointKeepsTheReaperAwayUntilItsCommit(boolean bySql) {
        LeaseRepository worker = recovery.newWorker();
        ClaimedTask task = recovery.orphan(worker);
        Run run = context(worker, task);
        TransactionTemplate apart = run.with(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        apart.setName("apart");
        List<Integer> taken = new ArrayList<>();
        run.manager.addListener(new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                if (transaction.getTransactionName().equals("apart")) {
                    taken.add(recovery.reclaimer().reclaimOnce().total());
                }
            }
        });

        run.transaction.executeWithoutResult(outer -> {
            checkpointAndUndo(run, bySql);
            apart.executeWithoutResult(inner -> recovery.queue().enqueue("follow-up", null));
        });

        assertThat(taken).containsExactly(0);
    }

    /** @param bySql by a savepoint that Spring does not know of */
    private static void checkpointAndUndo(Run run, boolean bySql) {
        if (bySql) {
            harness.jdbc().sql("savepoint own").update();
            run.context.checkpoint(new Page(1));
            harness.jdbc().sql("rollback to savepoint own").update();
            return;
        }
        run.with(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
            run.context.checkpoint(new Page(1));
            nested.setRollbackOnly();
        });
    }

    @Test
    @Tag("C1")
    void checkpointThatCannotBeStoredChangesNothing() {
        LeaseRepository worker = recovery.newWorker();
        ClaimedTask task = recovery.running(worker);
        Run run = context(worker, task);
        run.context.checkpoint(new Page(1));

        for (Object bad : List.of("\0", "x".repeat(300_000))) {
            assertThatThrownBy(() -> run.context.checkpoint(bad)).isInstanceOf(InvalidPayloadException.class);
        }

        recovery.assertThatTask(task.id()).hasCheckpoint("{\"number\": 1}");
        assertThat(run.context.lastCheckpoint(Page.class)).contains(new Page(1));
    }

    /** A run on the test's own thread. */
    private record Run(HandlerContext context, TransactionTemplate transaction, DataSourceTransactionManager manager) {
        TransactionTemplate with(int propagation) {
            TransactionTemplate template = new TransactionTemplate(manager);
            template.setPropagationBehavior(propagation);
            return template;
        }
    }

    private Run context(LeaseRepository leases, ClaimedTask task) {
        LeaseFence fence = new LeaseFence(harness.database(), leases);
        DataSourceTransactionManager manager = harness.transactionManager();
        manager.addListener(fence);
        RunningTask run = new RunningTask(task, Duration.ZERO, 0);
        fence.bind(run);
        HandlerContext context = new HandlerContext(run, leases, fence, QueueHarness.converter());
        return new Run(context, new TransactionTemplate(manager), manager);
    }
}
