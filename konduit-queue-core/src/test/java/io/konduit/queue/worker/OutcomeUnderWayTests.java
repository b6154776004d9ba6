package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.konduit.queue.FaultyDataSource;
import io.konduit.queue.JobHandler;
import io.konduit.queue.LogCapture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.With;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.LeaseRepository;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A run whose outcome is on its way to the database is not lost because an extension finds its row gone. */
@Tag("H5")
@Timeout(60)
class OutcomeUnderWayTests {
    private static final Duration LEASE = Duration.ofMinutes(5);

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final ActiveLeases active = new ActiveLeases();
    private final WorkerEvents events = new WorkerEvents(QueueMonitor.NONE, harness.queueEvents());
    private final LeaseRepository leases = harness.newWorker();
    private final Completer completer = new Completer(
            leases, new IncidentRepository(harness.database()), active, events, (queue, delay) -> {}, System::nanoTime);

    private final LeaseKeeper keeper = new LeaseKeeper(
            leases,
            active,
            new ControlHealth(),
            events,
            new LeaseKeeper.Beat(() -> false, LEASE),
            () -> LEASE.dividedBy(2).toNanos());

    @AfterEach
    void letHandlersEnd() {
        mayEnd.countDown();
    }

    private RunningTask ended() {
        harness.queue().enqueue("work", null);
        RunningTask run = new RunningTask(harness.claimOne(leases), Duration.ZERO, 0);
        active.add(run);
        assertThat(run.begin(0)).isTrue();
        run.finish(1);
        return run;
    }

    @Test
    void completionThatCommitsBeforeAnExtensionIsNoLoss() {
        RunningTask run = ended();
        leases.complete(List.of(run.lease()));
        try (LogCapture log = LogCapture.open()) {
            keeper.extendOnce();
            assertThat(completer.write(List.of(new Outcome.Completed(run)))).isEmpty();
            assertThat(log.messages(Level.WARN)).isEmpty();
        }
        assertThat(harness.events()).isEmpty();
        assertThat(active.isEmpty()).isTrue();
        assertThat(harness.status(TaskId.of(run.task().id()))).isEqualTo("COMPLETED");
    }

    @Test
    void taskThatIsGivenBackBeforeItRanIsNoLoss() {
        harness.queue().enqueue("work", null);
        RunningTask waiting = new RunningTask(harness.claimOne(leases), Duration.ZERO, 0);
        active.add(waiting);
        Outcome outcome = new Outcome.GivenBack(waiting, Duration.ZERO);
        completer.report(outcome);
        leases.giveBack(List.of(waiting.lease()), Duration.ZERO);
        keeper.extendOnce();
        assertThat(completer.write(List.of(outcome))).isEmpty();
        assertThat(harness.events()).isEmpty();
    }

    @Test
    @Tag("F4")
    void callbacksAfterTheCommitOfATransactionalHandlerAreNotInterrupted() {
        AtomicBoolean interrupted = new AtomicBoolean();
        CountDownLatch committed = new CountDownLatch(1);
        FaultyDataSource control = new FaultyDataSource(harness.testDatabase().dataSource());
        try (ControlPool pool = new ControlPool(control, 2, Duration.ofSeconds(5));
                LogCapture log = LogCapture.open()) {
            QueueDatabase database = new QueueDatabase(harness.testDatabase().dataSource(), pool, null);
            WorkerLifecycle worker = harness.startWorker(
                    database,
                    With.lockTimeout(Duration.ofSeconds(1)),
                    QueueHarness.quickRetries(),
                    new SlowCallback(committed, interrupted));
            TaskId id = harness.queue().enqueue("commits", null);
            harness.queue().enqueue("neighbour", null);
            await().until(() -> committed.getCount() == 0);
            control.forget();
            // its neighbour is extended again and again: each statement comes after the answer to the one before it
            await().until(() -> control.count("T3") >= 5);
            mayEnd.countDown();
            await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
            worker.stop();
            assertThat(interrupted).isFalse();
            assertThat(harness.events()).isEmpty();
            assertThat(log.messages(Level.WARN)).isEmpty();
        }
    }

    private class SlowCallback {
        private final CountDownLatch committed;
        private final AtomicBoolean interrupted;

        SlowCallback(CountDownLatch committed, AtomicBoolean interrupted) {
            this.committed = committed;
            this.interrupted = interrupted;
        }

        @JobHandler(value = "commits", transactional = true)
        void run() {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    committed.countDown();
                    try {
                        mayEnd.await(60, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        interrupted.set(true);
                    }
                }
            });
        }

        @JobHandler("neighbour")
        void neighbour() throws InterruptedException {
            mayEnd.await(60, TimeUnit.SECONDS);
        }
    }
}
