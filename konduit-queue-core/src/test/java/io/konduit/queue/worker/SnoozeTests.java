package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TaskSnoozedError;
import io.konduit.queue.TwoSessions;
import io.konduit.queue.event.LeaseLost;
import io.konduit.queue.event.TaskFailed;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.Written;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.transaction.support.TransactionTemplate;

/** D4: a handler ends its run, and the task comes back later without a charge. */
@Tag("D4")
class SnoozeTests {
    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    class Jobs {
        final List<Integer> attempts = new CopyOnWriteArrayList<>();
        final List<Optional<String>> checkpoints = new CopyOnWriteArrayList<>();
        volatile Consumer<TaskContext> step = task -> task.snooze(HOUR);

        @JobHandler("poll")
        void poll(TaskContext task) {
            run(task);
        }

        @JobHandler(value = "poll-in-transaction", transactional = true)
        void pollInTransaction(TaskContext task) {
            effect("transactional");
            run(task);
        }

        @JobHandler("poll-elsewhere")
        CompletableFuture<Void> pollElsewhere(TaskContext task) {
            return CompletableFuture.runAsync(() -> run(task));
        }

        private void run(TaskContext task) {
            attempts.add(task.attempt());
            checkpoints.add(task.lastCheckpoint(String.class));
            step.accept(task);
        }
    }

    private final Jobs jobs = new Jobs();
    private final TaskQueue queue = harness.queue(jobs);

    @BeforeEach
    void createEffects() {
        harness.testDatabase()
                .execute(
                        "drop table if exists effects",
                        "create table effects (note text)",
                        "delete from konduit_queue");
    }

    private static void effect(String note) {
        harness.jdbc()
                .sql("insert into effects values (:note)")
                .param("note", note)
                .update();
    }

    private static List<String> effects() {
        return harness.jdbc()
                .sql("select note from effects")
                .query(String.class)
                .list();
    }

    private static void awaitSnoozed(TaskId id, int times) {
        await().untilAsserted(() -> {
            harness.assertThatTask(id).isPending().hasNoLease();
            assertThat(snoozes(id)).isEqualTo(times);
        });
    }

    private static int snoozes(TaskId id) {
        return harness.column(id.value(), "coalesce(snoozes, 0)", Integer.class);
    }

    @Test
    @Tag("T19")
    void snoozedTaskComesBackLaterByTheDatabasesClock() {
        harness.startWorker(jobs);
        TaskId id = queue.enqueue("poll", null);
        awaitSnoozed(id, 1);
        assertThat(harness.column(
                        id.value(),
                        "run_at between statement_timestamp() + interval '59 min' and statement_timestamp() + interval '60 min'",
                        Boolean.class))
                .isTrue();
        assertThat(harness.events()).isEmpty();
    }

    @Test
    void snoozesAreNotChargedHoweverMany() {
        jobs.step = task -> {
            if (jobs.attempts.size() <= 20) {
                task.snooze(Duration.ofMillis(1));
            }
            throw new IllegalStateException("now it fails");
        };
        harness.startWorker(jobs);
        TaskId id = queue.enqueue(TaskRequest.of("poll", null).maxAttempts(1));
        await().untilAsserted(() -> harness.assertThatTask(id).isFailed());
        assertThat(jobs.attempts).hasSize(21).containsOnly(1);
        assertThat(queue.find(id).orElseThrow().attempts()).isEqualTo(1);
        assertThat(harness.events()).singleElement().isInstanceOf(TaskFailed.class);
    }

    @Test
    @Tag("F4")
    @Tag("I9")
    void effectsOfATransactionalHandlerAreRolledBackWithItsSnooze() {
        jobs.step = task -> {
            task.checkpoint("in the same transaction");
            task.snooze(HOUR);
        };
        harness.startWorker(jobs);
        TaskId id = queue.enqueue("poll-in-transaction", null);
        awaitSnoozed(id, 1);
        assertThat(effects()).isEmpty();
        harness.assertThatTask(id).hasNoCheckpoint();
        jobs.step = task -> {};
        harness.makeDue(id);
        harness.startWorker(jobs);
        await().untilAsserted(() -> harness.assertThatTask(id).isCompleted());
        assertThat(effects()).containsExactly("transactional");
    }

    @Test
    @Tag("C2")
    void whatWasCommittedBeforeStaysAndAnOpenTransactionRollsBack() {
        TransactionTemplate transaction = harness.transaction();
        jobs.step = task -> {
            task.checkpoint("page 7");
            transaction.executeWithoutResult(status -> effect("committed"));
            transaction.executeWithoutResult(status -> {
                effect("open");
                task.snooze(HOUR);
            });
        };
        harness.startWorker(jobs);
        TaskId id = queue.enqueue("poll", null);
        awaitSnoozed(id, 1);
        assertThat(effects()).containsExactly("committed");
        harness.assertThatTask(id).hasCheckpoint("\"page 7\"");
    }

    /** As a careless handler and as a future do. */
    @Test
    void wrappedErrorIsASnoozeAndNoFailure() {
        jobs.step = task -> {
            try {
                task.snooze(HOUR);
            } catch (Exception e) {
                throw new AssertionError("took it for a failure", e);
            }
        };
        harness.startWorker(jobs);
        TaskId id = queue.enqueue("poll-elsewhere", null);
        awaitSnoozed(id, 1);
        harness.assertThatTask(id).hasNoLastError();
    }

    @Test
    @Tag("F1")
    @Tag("F2")
    void snoozeOfAZombieIsRefused() {
        harness.testDatabase()
                .execute(
                        "insert into konduit_queue values ('later', clock_timestamp(), 'so that it is not claimed again')");
        jobs.step = task -> {
            harness.jdbc().sql("update konduit_queue set name = 'default'").update();
            harness.expireLease(task.id().value(), Duration.ofSeconds(1));
            assertThat(harness.reclaimer().reclaimOnce().total()).isEqualTo(1);
            task.snooze(HOUR);
        };
        harness.startWorker(jobs);
        TaskId id = queue.enqueue("poll", null);
        await().untilAsserted(() -> assertThat(harness.events()).anyMatch(LeaseLost.class::isInstance));
        harness.assertThatTask(id).isPending().hasZombieCount(1);
        assertThat(snoozes(id)).isZero();
        assertThat(harness.column(id.value(), "run_at < statement_timestamp() + interval '1 min'", Boolean.class))
                .isTrue();
        await().untilAsserted(() -> assertThat(harness.jdbc()
                        .sql("select late_outcome from konduit_task_incident")
                        .query(String.class)
                        .list())
                .containsExactly("SNOOZED"));
    }

    @Test
    void snoozeOfACancelledTaskIsRefused() {
        jobs.step = task -> {
            assertThat(queue.cancel(task.id())).isTrue();
            task.snooze(HOUR);
        };
        harness.startWorker(jobs);
        TaskId id = queue.enqueue("poll", null);
        await().untilAsserted(() -> assertThat(harness.events())
                .containsExactly(new LeaseLost(id, "poll", "default", 1, LeaseLost.Reason.CANCELLED)));
        harness.assertThatTask(id).isCancelled();
    }

    @Test
    @Tag("S9")
    void impossibleDurationFailsTheAttempt() {
        jobs.step = task -> task.snooze(Duration.ZERO);
        harness.startWorker(jobs);
        TaskId id = queue.enqueue(TaskRequest.of("poll", null).maxAttempts(1));
        await().untilAsserted(() -> harness.assertThatTask(id).isFailed());
        assertThat(queue.find(id).orElseThrow().lastError().message())
                .isEqualTo("Expected the snooze of task " + id
                        + " (poll, attempt 1) to be between 1ms and 36500d, but it is 0s.");
    }

    @Test
    void storyTellsHowOftenAlsoAfterTheEnd() {
        TaskId id = queue.enqueue("poll", null);
        for (int i = 0; i < 3; i++) {
            LeaseRepository worker = harness.newWorker();
            ClaimedTask task = harness.claimOne(worker);
            assertThat(worker.snoozeUnlocked(Map.of(task.lease(), HOUR)).applied())
                    .hasSize(1);
            assertThat(task.attempt()).isEqualTo(1);
            assertThat(harness.inspection().story(id).snoozes()).isEqualTo(i + 1);
            assertThat(harness.inspection().story(id).explanation())
                    .endsWith(i == 0 ? " Its handler has snoozed it once." : " snoozed it " + (i + 1) + " times.");
            harness.makeDue(id);
        }
        LeaseRepository worker = harness.newWorker();
        worker.complete(List.of(harness.claimOne(worker).lease()));
        assertThat(harness.inspection().story(id).snoozes()).isEqualTo(3);
        assertThat(harness.inspection().story(id).task().attempts()).isEqualTo(1);
    }

    @Test
    @Tag("F6")
    void repeatAfterALostReplyFindsItApplied() {
        queue.enqueue("poll", null);
        LeaseRepository worker = harness.newWorker();
        ClaimedTask task = harness.claimOne(worker);
        for (int i = 0; i < 2; i++) {
            assertThat(worker.snoozeUnlocked(Map.of(task.lease(), HOUR)).applied())
                    .containsExactly(task.lease());
        }
        assertThat(snoozes(TaskId.of(task.id()))).isEqualTo(1);
    }

    @Test
    void lockedRowKeepsNoOtherSnoozeWaiting() {
        queue.enqueue("poll", null);
        queue.enqueue("poll", null);
        TwoSessions sessions = new TwoSessions(harness);
        LeaseRepository worker = new LeaseRepository(sessions.second(), java.util.UUID.randomUUID());
        List<ClaimedTask> tasks = harness.claim(worker, 2);
        Written written = sessions.whileOpen(
                () -> sessions.first()
                        .control("lock-own")
                        .param("id", tasks.get(0).id())
                        .param("epoch", tasks.get(0).lease().epoch())
                        .param("worker", worker.worker())
                        .query(Integer.class)
                        .single(),
                () -> worker.snoozeUnlocked(
                        Map.of(tasks.get(0).lease(), HOUR, tasks.get(1).lease(), HOUR)));
        assertThat(written.busy()).containsExactly(tasks.get(0).lease());
        assertThat(written.applied()).containsExactly(tasks.get(1).lease());
    }

    @Test
    void errorSaysWhatToDoAndIsFoundBehindOthers() {
        TaskSnoozedError error = new TaskSnoozedError("task 7 (poll, attempt 1)", HOUR);
        assertThat(error).hasMessage("The handler has snoozed task 7 (poll, attempt 1) for PT1H. Let this pass.");
        assertThat(TaskSnoozedError.behind(new IllegalStateException(new RuntimeException(error))))
                .containsSame(error);
        assertThat(TaskSnoozedError.behind(new IllegalStateException())).isEmpty();
        assertThatExceptionOfType(TaskSnoozedError.class).isThrownBy(() -> {
            throw error;
        });
    }
}
