package io.konduit.queue.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.konduit.queue.CapturedLog;
import io.konduit.queue.HoldReason;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.StoredIncident;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.admin.Cursor;
import io.konduit.queue.admin.HeldTask;
import io.konduit.queue.admin.Incident;
import io.konduit.queue.admin.IncidentAction;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.Orphan;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.TaskNotFoundException;
import io.konduit.queue.admin.TaskOutcome;
import io.konduit.queue.admin.TaskStateException;
import io.konduit.queue.review.AdministrationRepository;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Failure;
import io.konduit.queue.store.FailureResult;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.LeaseRepository;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskAdministrationTests {
    private static final TaskId UNKNOWN = TaskId.of(Long.MAX_VALUE);

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    QueueFixture recovery;
    TaskAdministration administration;
    QueueInspection inspection;
    LeaseRepository worker;

    @BeforeEach
    void setUp() {
        recovery = new QueueFixture(harness.database());
        administration = recovery.administration();
        inspection = recovery.inspection();
        worker = recovery.newWorker();
    }

    /** A state and how a task gets there. */
    enum State {
        PENDING,
        RUNNING,
        HELD,
        FAILED,
        COMPLETED,
        CANCELLED
    }

    // ---- looking ----

    @Test
    void heldTasksShowWithTheirEvidence() {
        ClaimedTask task = recovery.running(
                worker, TaskRequest.of("payment", null).reapable(false).uniqueKey("order-7"));
        worker.checkpoint(task.lease(), Duration.ofMinutes(5), "1");
        recovery.expire(task, Duration.ofSeconds(1));
        recovery.reclaimer().reclaimOnce();
        new IncidentRepository(harness.database())
                .recordLateOutcome(List.of(task.lease()), worker.worker(), "COMPLETED");

        List<HeldTask> held = inspection.held(null, 10);

        assertThat(held).hasSize(1);
        HeldTask shown = held.get(0);
        assertThat(shown.id()).isEqualTo(TaskId.of(task.id()));
        assertThat(shown.queue()).isEqualTo("default");
        assertThat(shown.type()).isEqualTo("payment");
        assertThat(shown.reason()).isEqualTo(HoldReason.NOT_REAPABLE);
        assertThat(shown.attempts()).isEqualTo(1);
        assertThat(shown.zombieCount()).isEqualTo(1);
        assertThat(shown.uniqueKey()).isEqualTo("order-7");
        assertThat(shown.previousOwner()).isEqualTo(worker.worker());
        assertThat(shown.lateOutcome()).isEqualTo(TaskOutcome.COMPLETED);
        assertThat(List.of(
                        shown.createdAt(),
                        shown.leaseStartedAt(),
                        shown.lastCheckpointAt(),
                        shown.leaseEndedAt(),
                        shown.heldAt(),
                        shown.lateOutcomeAt()))
                .doesNotContainNull();
        assertThat(shown.leaseEndedAt()).isBefore(shown.heldAt());
    }

    @Test
    void heldTasksComeInPages() {
        List<TaskId> ids = List.of(held(), held(), held());

        assertThat(inspection.held(null, 2)).extracting(HeldTask::id).containsExactly(ids.get(0), ids.get(1));
        assertThat(inspection.held(ids.get(1), 2)).extracting(HeldTask::id).containsExactly(ids.get(2));
        assertThat(inspection.held(ids.get(2), 2)).isEmpty();
    }

    @Test
    @Tag("L15")
    void zombiesAboveTheLimitAreListedMostFirst() {
        TaskId thrice = recovery.queue().enqueue("report", null);
        TaskId fourTimes = recovery.queue().enqueue("report", null);
        TaskId held = recovery.queue().enqueue("report", null);
        crash(thrice, 3);
        crash(fourTimes, 4);
        crash(held, 5);

        List<Task> zombies = inspection.zombiesAbove(3, 10);

        assertThat(zombies).extracting(Task::id).containsExactly(held, fourTimes);
        assertThat(zombies).extracting(Task::zombieCount).containsExactly(5, 4);
        assertThat(inspection.zombiesAbove(0, 10)).extracting(Task::id).containsExactly(held, fourTimes, thrice);
        assertThat(inspection.zombiesAbove(0, 1)).extracting(Task::id).containsExactly(held);
        recovery.queue().enqueue("report", null);
        assertThat(inspection.zombiesAbove(-1, 10))
                .as("a task that never lost a worker is no zombie")
                .hasSize(3);
    }

    @Test
    @Tag("L19")
    void incidentsOfAPeriodComeNewestFirst() {
        TaskId old = held();
        TaskId recent = held();
        TaskId latest = held();
        harness.testDatabase()
                .execute(
                        "update konduit_task_incident set detected_at = detected_at - interval '25 hours' where task_id = "
                                + old,
                        "update konduit_task_incident set detected_at = detected_at - interval '23 hours' where task_id = "
                                + recent);

        assertThat(inspection.incidents(Duration.ofHours(24), Cursor.START, 10))
                .extracting(Incident::taskId)
                .containsExactly(latest, recent);
        assertThat(inspection.incidents(Duration.ofHours(24), Cursor.START, 1))
                .extracting(Incident::taskId)
                .containsExactly(latest);
        assertThat(inspection.incidents(Duration.ofDays(2), Cursor.START, 10)).hasSize(3);
    }

    @Test
    void incidentsOfATaskTellItsStory() {
        TaskId id = held();
        administration.release(id, "ada", "looked into it");
        administration.cancel(id, "grace", null);

        List<Incident> story = inspection.incidentsOf(id, 10);

        assertThat(story)
                .extracting(incident -> incident.classification() + " " + incident.action() + " by " + incident.actor()
                        + ": " + incident.note() + " -> " + incident.outcome())
                .containsExactly(
                        "OPERATOR CANCELLED by grace: null -> CANCELLED",
                        "OPERATOR RELEASED by ada: looked into it -> CANCELLED",
                        "ZOMBIE HELD by reaper@test: NOT_REAPABLE -> CANCELLED");
        assertThat(inspection.incidentsOf(id, 1)).hasSize(1);
        assertThat(inspection.incidentsOf(UNKNOWN, 10)).isEmpty();
    }

    // ---- deciding ----

    @Test
    @Tag("I8")
    @Tag("T12")
    void releasedTaskRunsAgain() {
        TaskId id = held();

        administration.release(id, "ada", "the bank says it was not booked");

        recovery.assertThatTask(id).isPending().hasHoldReason(null);
        assertAudited(id, "RELEASED", "ada", "the bank says it was not booked");
        assertThat(recovery.wakeUps()).containsExactly(Set.of("default"));
        ClaimedTask again = recovery.claimOne(worker);
        assertThat(again.id()).isEqualTo(id.value());
        assertThat(again.lease().zombieCount()).isEqualTo(1);
        worker.complete(List.of(again.lease()));
        assertThat(recovery.status(id.value())).isEqualTo("COMPLETED");
    }

    @Test
    @Tag("L17")
    void releaseRenewsTheQuarantineBudget() {
        TaskId id = recovery.queue().enqueue("report", null);
        crash(id, 5);
        recovery.assertThatTask(id).hasHoldReason("QUARANTINED");

        administration.release(id, "ada", null);

        recovery.assertThatTask(id).hasZombieCount(5).hasZombieBase(5);
        crash(id, 4);
        recovery.assertThatTask(id).isPending().hasZombieCount(9);
        crash(id, 1);
        recovery.assertThatTask(id).isHeldBecause(HoldReason.QUARANTINED);
    }

    @Test
    @Tag("L13")
    void releasedTaskThatIsNotReapableIsHeldAgainByTheNextCrash() {
        TaskId id = held();
        administration.release(id, "ada", null);

        crash(id, 1);

        recovery.assertThatTask(id).isHeldBecause(HoldReason.NOT_REAPABLE);
    }

    @Test
    @Tag("I8")
    @Tag("T14")
    void heldTaskFailedByHandDoesNotRunAgain() {
        TaskId id = held();

        administration.fail(id, "ada", "booked twice already");

        recovery.assertThatTask(id).isFailed().hasHoldReason(null).hasFinished();
        assertAudited(id, "FAILED", "ada", "booked twice already");
        assertThat(recovery.incidents(id)).extracting(StoredIncident::outcome).containsExactly("FAILED", "FAILED");
        assertThat(recovery.wakeUps()).isEmpty();
        assertThat(harness.claim(worker, 10)).isEmpty();
    }

    @Test
    @Tag("I8")
    @Tag("T13")
    void retriedTaskGetsThatManyMoreAttempts() {
        TaskId id = in(State.FAILED);

        administration.retry(id, 2, "ada", "the disk has room again");

        recovery.assertThatTask(id).isPending().hasNotFinished().hasAttempts(1).hasMaxAttempts(3);
        assertAudited(id, "RETRIED", "ada", "the disk has room again");
        assertThat(recovery.wakeUps()).containsExactly(Set.of("default"));
        assertThat(failOnce(id)).isEqualTo(FailureResult.RETRY);
        assertThat(failOnce(id)).isEqualTo(FailureResult.FINAL);
    }

    @Test
    void retryOfATaskWhoseUniqueKeyIsTakenSaysSo() {
        ClaimedTask failed = recovery.running(
                worker, TaskRequest.of("report", null).uniqueKey("order-7").maxAttempts(1));
        worker.fail(List.of(new Failure(failed.lease(), false, Duration.ZERO, "it failed")));
        recovery.queue().enqueue(TaskRequest.of("report", null).uniqueKey("order-7"));
        TaskId id = TaskId.of(failed.id());

        assertRefused(
                () -> administration.retry(id, 1, "ada", null),
                TaskStateException.class,
                "Task " + id
                        + " cannot be retried: another live task has its unique key. Wait until that task has ended, or cancel it.");
    }

    @ParameterizedTest
    @EnumSource(
            value = State.class,
            names = {"PENDING", "RUNNING", "HELD", "FAILED"})
    @Tag("I8")
    void anyLiveTaskCanBeCancelled(State state) {
        TaskId id = in(state);

        administration.cancel(id, "ada", "ordered twice");

        assertThat(recovery.status(id.value())).isEqualTo("CANCELLED");
        assertAudited(id, "CANCELLED", "ada", "ordered twice");
        assertThat(recovery.incidents(id)).extracting(StoredIncident::outcome).containsOnly("CANCELLED");
        assertThat(recovery.wakeUps()).isEmpty();
        assertThat(harness.claim(worker, 10)).isEmpty();
        assertThat(recovery.reclaimer().reclaimOnce().total()).isZero();
    }

    @Test
    void orphansCanBeListedWithoutBeingTaken() {
        recovery.running(worker);
        ClaimedTask younger = recovery.running(worker);
        ClaimedTask older = recovery.running(worker);
        recovery.expire(younger, Duration.ofSeconds(1));
        recovery.expire(older, Duration.ofSeconds(2));
        List<String> before = everything();

        assertThat(inspection.orphans(10))
                .extracting(Orphan::id)
                .containsExactly(TaskId.of(older.id()), TaskId.of(younger.id()));
        assertThat(inspection.orphans(1)).extracting(Orphan::id).containsExactly(TaskId.of(older.id()));

        assertThat(everything()).isEqualTo(before);
    }

    @Test
    @Tag("I8")
    void reclaimNowTakesAllOrphansInTheActorsName() {
        ClaimedTask plain = recovery.orphan(worker);
        ClaimedTask payment =
                recovery.orphan(worker, TaskRequest.of("payment", null).reapable(false));

        ReclaimResult result = administration.reclaimNow("ada");

        assertThat(result).isEqualTo(new ReclaimResult(1, 1, 0, 0, Duration.ZERO));
        assertAudited(TaskId.of(plain.id()), "RECLAIMED", "ada", null);
        assertAudited(TaskId.of(payment.id()), "HELD", "ada", "NOT_REAPABLE");
    }

    @Test
    void eachDecisionIsLoggedWithItsActor() {
        TaskId id = held();
        try (CapturedLog log = CapturedLog.ofPackageOf(DatabaseTaskAdministration.class)) {
            administration.release(id, "ada", "a note for the record only");
            administration.cancel(id, "ada", null);

            assertThat(log.all())
                    .containsExactly(
                            "INFO Task " + id + " was released by ada", "INFO Task " + id + " was cancelled by ada");
        }
    }

    @Test
    void wakeUpThatThrowsDoesNotUndoADecision() {
        TaskId id = held();
        TaskAdministration sleepy = new DatabaseTaskAdministration(
                new AdministrationRepository(harness.database()),
                harness.tasks(),
                recovery.reclaimer(),
                recovery.cleaner(ReclaimPolicy.defaults(), Duration.ofDays(7)),
                queues -> {
                    throw new IllegalStateException("wake-up");
                });

        sleepy.release(id, "ada", null);

        assertThat(recovery.status(id.value())).isEqualTo("PENDING");
    }

    @Test
    void decisionDisappearsWhenTheCallerRollsBack() {
        TaskId id = held();
        List<String> before = everything();

        harness.transaction().executeWithoutResult(status -> {
            administration.release(id, "ada", null);
            status.setRollbackOnly();
        });

        assertThat(everything()).isEqualTo(before);
    }

    // ---- refusing ----

    @ParameterizedTest
    @EnumSource(
            value = State.class,
            names = {"HELD"},
            mode = EnumSource.Mode.EXCLUDE)
    @Tag("I5")
    void onlyAHeldTaskCanBeReleasedOrFailed(State state) {
        TaskId id = in(state);

        assertRefused(
                () -> administration.release(id, "ada", null),
                TaskStateException.class,
                "Task " + id + " cannot be released: expected it to be HELD, but it is " + state + ".");
        assertRefused(
                () -> administration.fail(id, "ada", null),
                TaskStateException.class,
                "Task " + id + " cannot be failed: expected it to be HELD, but it is " + state + ".");
    }

    @ParameterizedTest
    @EnumSource(
            value = State.class,
            names = {"FAILED"},
            mode = EnumSource.Mode.EXCLUDE)
    void onlyAFailedTaskCanBeRetried(State state) {
        TaskId id = in(state);

        assertRefused(
                () -> administration.retry(id, 1, "ada", null),
                TaskStateException.class,
                "Task " + id + " cannot be retried: expected it to be FAILED, but it is " + state + ".");
    }

    @ParameterizedTest
    @EnumSource(
            value = State.class,
            names = {"COMPLETED", "CANCELLED"})
    void finishedTaskCannotBeCancelled(State state) {
        TaskId id = in(state);

        assertRefused(
                () -> administration.cancel(id, "ada", null),
                TaskStateException.class,
                "Task " + id + " cannot be cancelled: it is " + state + " already.");
    }

    @Test
    void unknownTaskIsNamed() {
        String message = "There is no task " + UNKNOWN + ": the id is wrong, or retention has removed it.";

        assertRefused(() -> administration.release(UNKNOWN, "ada", null), TaskNotFoundException.class, message);
        assertRefused(() -> administration.fail(UNKNOWN, "ada", null), TaskNotFoundException.class, message);
        assertRefused(() -> administration.retry(UNKNOWN, 1, "ada", null), TaskNotFoundException.class, message);
        assertRefused(() -> administration.cancel(UNKNOWN, "ada", null), TaskNotFoundException.class, message);
    }

    @ParameterizedTest
    @MethodSource("badTexts")
    void everyDecisionNeedsAnActorAndTextThatCanBeStored(String actor, String note, String message) {
        TaskId held = held();
        TaskId failed = in(State.FAILED);
        ClaimedTask orphan = recovery.orphan(worker);

        for (ThrowingCallable decision : List.<ThrowingCallable>of(
                () -> administration.release(held, actor, note),
                () -> administration.fail(held, actor, note),
                () -> administration.retry(failed, 1, actor, note),
                () -> administration.cancel(held, actor, note))) {
            assertRefused(decision, InvalidRequestException.class, message);
        }
        if (note == null) {
            assertRefused(() -> administration.reclaimNow(actor), InvalidRequestException.class, message);
        }
        assertThat(recovery.status(orphan.id())).isEqualTo("RUNNING");
    }

    static Stream<Object[]> badTexts() {
        return Stream.of(
                new Object[] {
                    "",
                    null,
                    "Expected the actor to have 1 to 500 characters, but it is blank. Every decision is recorded with its actor."
                },
                new Object[] {
                    " \t",
                    null,
                    "Expected the actor to have 1 to 500 characters, but it is blank. Every decision is recorded with its actor."
                },
                new Object[] {
                    "a".repeat(501),
                    null,
                    "Expected the actor to have 1 to 500 characters, but it has 501. Every decision is recorded with its actor."
                },
                new Object[] {
                    "a\0b", null, "Expected the actor to have no control characters, but character 2 is U+0000."
                },
                new Object[] {
                    "ab\n", null, "Expected the actor to have no control characters, but character 3 is U+000A."
                },
                new Object[] {
                    "ada", "n".repeat(501), "Expected the note to have at most 500 characters, but it has 501."
                },
                new Object[] {"ada", "\0", "Expected the note to have no NUL characters, but character 1 is one."});
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, 0, 10_001, Integer.MAX_VALUE})
    void retryGivesASaneNumberOfAttempts(int attempts) {
        TaskId id = in(State.FAILED);

        assertRefused(
                () -> administration.retry(id, attempts, "ada", null),
                InvalidRequestException.class,
                "Expected 1 to 10000 more attempts, but found " + attempts + ".");
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, 0, 1_001, Integer.MAX_VALUE})
    void pagesHaveASaneSize(int limit) {
        String message = "Expected a page of 1 to 1000 rows, but found " + limit + ".";

        assertRefused(() -> inspection.held(null, limit), InvalidRequestException.class, message);
        assertRefused(() -> inspection.zombiesAbove(3, limit), InvalidRequestException.class, message);
        assertRefused(() -> inspection.orphans(limit), InvalidRequestException.class, message);
        assertRefused(() -> inspection.incidentsOf(UNKNOWN, limit), InvalidRequestException.class, message);
        assertRefused(
                () -> inspection.incidents(Duration.ofDays(1), Cursor.START, limit),
                InvalidRequestException.class,
                message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "P36501D", "PT2562047788015215H"})
    void periodsHaveASaneLength(String period) {
        assertRefused(
                () -> inspection.incidents(Duration.parse(period), Cursor.START, 10),
                InvalidRequestException.class,
                "Expected the period to be between 1ms and 36500d, but it is " + Duration.parse(period) + ".");
    }

    // ---- a task in each state ----

    private TaskId in(State state) {
        return switch (state) {
            case PENDING ->
                recovery.queue().enqueue(TaskRequest.of("report", null).delay(Duration.ofDays(1)));
            case RUNNING -> TaskId.of(recovery.running(worker).id());
            case HELD -> held();
            case FAILED -> failed();
            case COMPLETED -> completed();
            case CANCELLED -> cancelled();
        };
    }

    private TaskId held() {
        ClaimedTask task = recovery.orphan(
                recovery.newWorker(), TaskRequest.of("payment", null).reapable(false));
        recovery.reclaimer().reclaimOnce();
        return TaskId.of(task.id());
    }

    private TaskId failed() {
        ClaimedTask task =
                recovery.running(worker, TaskRequest.of("report", null).maxAttempts(1));
        worker.fail(List.of(new Failure(task.lease(), false, Duration.ZERO, "it failed")));
        return TaskId.of(task.id());
    }

    private TaskId completed() {
        ClaimedTask task = recovery.running(worker);
        worker.complete(List.of(task.lease()));
        return TaskId.of(task.id());
    }

    private TaskId cancelled() {
        TaskId id = recovery.queue().enqueue("report", null);
        recovery.queue().cancel(id);
        return id;
    }

    private FailureResult failOnce(TaskId id) {
        recovery.makeDue(id);
        ClaimedTask task = recovery.claimOne(worker);
        return worker.fail(List.of(new Failure(task.lease(), false, Duration.ZERO, "again")))
                .get(task.lease());
    }

    private void crash(TaskId id, int times) {
        harness.testDatabase()
                .execute("update konduit_task set run_at = run_at + interval '1 day'"
                        + " where status = 'PENDING' and id <> " + id);
        for (int i = 0; i < times; i++) {
            recovery.crashOnce(id);
        }
    }

    /** The last incident, and no other, records this decision. */
    private void assertAudited(TaskId id, String action, String actor, String note) {
        List<Incident> recorded = inspection.incidentsOf(id, 100).stream()
                .filter(incident -> incident.actor().equals(actor))
                .toList();
        assertThat(recorded).hasSize(1);
        assertThat(recorded.get(0).action()).isEqualTo(IncidentAction.valueOf(action));
        assertThat(recorded.get(0).note()).isEqualTo(note);
        assertThat(recorded.get(0).detectedAt())
                .isBetween(Instant.now().minusSeconds(600), Instant.now().plusSeconds(600));
    }

    private void assertRefused(ThrowingCallable decision, Class<?> type, String message) {
        List<String> before = everything();
        assertThatThrownBy(decision).isInstanceOf(type).hasMessage(message);
        assertThat(everything()).isEqualTo(before);
        assertThat(recovery.wakeUps()).isEmpty();
    }

    private List<String> everything() {
        List<String> rows = new ArrayList<>();
        for (String table : List.of("konduit_task", "konduit_task_history", "konduit_task_incident")) {
            rows.addAll(recovery.jdbc()
                    .sql("select '" + table + " ' || t::text from " + table + " t order by 1")
                    .query(String.class)
                    .list());
        }
        return rows;
    }
}
