package io.konduit.queue.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.konduit.queue.HoldReason;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.StoredIncident;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.AuditAction;
import io.konduit.queue.admin.AuditEntry;
import io.konduit.queue.admin.BulkAction;
import io.konduit.queue.admin.BulkResult;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.TaskFilter;
import io.konduit.queue.review.AdministrationRepository;
import io.konduit.queue.review.BulkRepository;
import io.konduit.queue.review.BulkRepository.Criteria;
import io.konduit.queue.review.BulkRepository.Found;
import io.konduit.queue.review.BulkRepository.Page;
import io.konduit.queue.review.BulkRepository.Position;
import io.konduit.queue.review.BulkRepository.Terms;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Failure;
import io.konduit.queue.store.LeaseRepository;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** S13: a person decides about everything that matches. */
@Tag("S13")
class BulkActionTests {
    private static final int ALL = 100_000;

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    QueueFixture recovery;
    TaskAdministration administration;
    LeaseRepository worker;

    @BeforeEach
    void setUp() {
        harness.testDatabase().execute("truncate konduit_audit");
        recovery = new QueueFixture(harness.database());
        administration = recovery.administration();
        worker = recovery.newWorker();
    }

    @Test
    void aDryRunCountsAndChangesNothing() {
        held("pay", 3);
        held("mail", 2);
        List<String> before = everything();

        BulkResult result =
                administration.count(BulkAction.release(), TaskFilter.where().type("pay"));

        assertThat(result).isEqualTo(new BulkResult(3, Map.of(TaskStatus.HELD, 3L), 0, 0, false));
        assertThat(everything()).isEqualTo(before);
        assertThat(administration
                        .count(BulkAction.cancel(), TaskFilter.everything())
                        .matched())
                .isEqualTo(5);
    }

    @Test
    @Tag("I8")
    void releasesWhatMatchesWithAnIncidentPerTaskAndOneEntryPerBatch() {
        List<TaskId> pay = held("pay", 501);
        List<TaskId> mail = held("mail", 2);

        BulkResult result = administration.apply(
                BulkAction.release(), TaskFilter.where().type("pay"), ALL, "ada", "provider is back");

        assertThat(result.matched()).isEqualTo(501);
        assertThat(result.changed()).isEqualTo(501);
        assertThat(result.skipped()).isZero();
        assertThat(result.more()).isFalse();
        assertThat(statuses(pay)).containsOnly("PENDING");
        assertThat(statuses(mail)).containsOnly("HELD");
        assertThat(recovery.incidents(pay.get(0)).get(1))
                .returns("RELEASED", StoredIncident::action)
                .returns("ada", StoredIncident::actor)
                .returns("provider is back", StoredIncident::note);
        assertThat(recovery.inspection().audit(Long.MAX_VALUE, 10))
                .extracting(
                        AuditEntry::action,
                        AuditEntry::changed,
                        AuditEntry::actor,
                        AuditEntry::note,
                        AuditEntry::filter)
                .containsExactly(
                        tuple(AuditAction.RELEASE, 1, "ada", "provider is back", "{\"type\": \"pay\"}"),
                        tuple(AuditAction.RELEASE, 500, "ada", "provider is back", "{\"type\": \"pay\"}"));
        assertThat(recovery.wakeUps()).containsExactly(Set.of("default"), Set.of("default"));
    }

    @Test
    void failsHeldTasksOfAReason() {
        List<TaskId> held = held("pay", 2);
        harness.testDatabase().execute("update konduit_task set hold_reason = 'QUARANTINED' where id = " + held.get(1));

        administration.apply(
                BulkAction.fail(), TaskFilter.where().holdReason(HoldReason.QUARANTINED), ALL, "ada", null);

        assertThat(statuses(held)).containsExactly("HELD", "FAILED");
        assertThat(recovery.incidents(held.get(1)))
                .extracting(StoredIncident::outcome)
                .containsOnly("FAILED");
        assertThat(recovery.wakeUps()).isEmpty();
    }

    @Test
    void retriesWhatFailedInAPeriodAndNotWhatFailsWhileItWorks() {
        List<TaskId> failed = failed("mail", 3);
        failedAgo(failed.get(0), "2 hours");
        failedAgo(failed.get(1), "30 minutes");
        failedAgo(failed.get(2), "-1 hour");
        Instant hourAgo = recovery.jdbc()
                .sql("select statement_timestamp() - interval '1 hour'")
                .query(OffsetDateTime.class)
                .single()
                .toInstant();

        BulkResult result =
                administration.apply(BulkAction.retry(2), TaskFilter.where().finishedAfter(hourAgo), ALL, "ada", null);

        assertThat(result.changed()).isEqualTo(1);
        assertThat(statuses(failed)).containsExactly("FAILED", "PENDING", "FAILED");
        recovery.assertThatTask(failed.get(1)).hasMaxAttempts(3);
        assertThat(recovery.wakeUps()).hasSize(1);
    }

    @Test
    void aTakenUniqueKeyIsSkippedAndOfTwoFailedTasksTheLaterIsRetried() {
        TaskId first = failedWithKey("order-7");
        TaskId second = failedWithKey("order-7");
        TaskId blocked = failedWithKey("order-8");
        recovery.queue().enqueue(TaskRequest.of("mail", 1).uniqueKey("order-8"));

        BulkResult result = administration.apply(BulkAction.retry(1), TaskFilter.everything(), ALL, "ada", null);

        assertThat(result.matched()).isEqualTo(3);
        assertThat(result.changed()).isEqualTo(1);
        assertThat(result.skipped()).isEqualTo(2);
        assertThat(statuses(List.of(first, second, blocked))).containsExactly("FAILED", "PENDING", "FAILED");
    }

    @Test
    void cancelsWhateverStateTheFilterNames() {
        ClaimedTask running = recovery.running(worker, TaskRequest.of("pay", 1).queue("default"));
        List<TaskId> held = held("mail", 1);
        TaskId pending = recovery.queue().enqueue("mail", 1);

        assertThat(administration
                        .apply(
                                BulkAction.cancel(),
                                TaskFilter.where().type("mail").status(TaskStatus.PENDING),
                                ALL,
                                "ada",
                                null)
                        .changed())
                .isEqualTo(1);
        assertThat(recovery.status(pending.value())).isEqualTo("CANCELLED");
        assertThat(statuses(held)).containsOnly("HELD");

        BulkResult rest = administration.apply(BulkAction.cancel(), TaskFilter.everything(), ALL, "ada", null);

        assertThat(rest.byStatus()).isEqualTo(Map.of(TaskStatus.RUNNING, 1L, TaskStatus.HELD, 1L));
        assertThat(recovery.status(running.id())).isEqualTo("CANCELLED");
        assertThat(recovery.incidents(held.get(0)))
                .extracting(StoredIncident::outcome)
                .containsOnly("CANCELLED");
    }

    /** Between the look and the lock somebody else retried it: it waits now, and did not fail at that time any more. */
    @Test
    void aTaskThatWasRetriedMeanwhileIsNotCancelledForHavingFailed() {
        TaskId id = failed("mail", 1).get(0);
        BulkRepository tasks = new AdministrationRepository(harness.database()).bulk();
        TaskFilter filter = TaskFilter.where().finishedAfter(Instant.EPOCH);
        Criteria criteria = BulkCriteria.of(BulkAction.cancel(), filter);
        String until = tasks.begin();
        Page page = tasks.find(criteria, until, Position.FIRST, 100, 100);
        assertThat(page.found()).extracting(Found::id).containsExactly(id.value());

        administration.retry(id, 1, "grace", null);
        Terms terms = new Terms(BulkAction.Kind.CANCEL, 1, null, BulkCriteria.json(filter), new Author("ada", null));

        assertThat(tasks.apply(terms, criteria, until, List.of(id.value())).tasks())
                .isZero();
        assertThat(recovery.status(id.value())).isEqualTo("PENDING");
    }

    /** Released and held again for another reason between the look and the lock. */
    @Test
    void aTaskThatIsHeldForAnotherReasonMeanwhileIsNotFailed() {
        TaskId id = held("pay", 1).get(0);
        BulkRepository tasks = new AdministrationRepository(harness.database()).bulk();
        TaskFilter filter = TaskFilter.where().holdReason(HoldReason.NOT_REAPABLE);
        Criteria criteria = BulkCriteria.of(BulkAction.fail(), filter);
        String until = tasks.begin();
        harness.testDatabase().execute("update konduit_task set hold_reason = 'QUARANTINED' where id = " + id);
        Terms terms = new Terms(BulkAction.Kind.FAIL, 1, null, BulkCriteria.json(filter), new Author("ada", null));

        assertThat(tasks.apply(terms, criteria, until, List.of(id.value())).tasks())
                .isZero();
        assertThat(recovery.status(id.value())).isEqualTo("HELD");
    }

    @Test
    void movesTheStartOfWaitingTasks() {
        TaskId mail = recovery.queue().enqueue("mail", 1);
        TaskId pay = recovery.queue().enqueue("pay", 1);
        Instant later = Instant.parse("2099-01-01T00:00:00Z");

        administration.apply(BulkAction.reschedule(later), TaskFilter.where().type("mail"), ALL, "ada", "night");

        assertThat(recovery.queue().find(mail).orElseThrow().runAt()).isEqualTo(later);
        assertThat(recovery.queue().find(pay).orElseThrow().runAt()).isBefore(later);
        assertThat(recovery.incidents(mail)).extracting(StoredIncident::action).containsExactly("RESCHEDULED");
    }

    @Test
    void aLockedRowIsSkippedAndNotWaitedFor() throws SQLException {
        List<TaskId> held = held("pay", 3);
        try (Connection other = harness.testDatabase().connect()) {
            other.setAutoCommit(false);
            other.createStatement().execute("select 1 from konduit_task where id = " + held.get(1) + " for update");

            BulkResult result = administration.apply(
                    BulkAction.release(), TaskFilter.where().type("pay"), ALL, "ada", null);

            assertThat(result.matched()).isEqualTo(3);
            assertThat(result.changed()).isEqualTo(2);
            assertThat(result.skipped()).isEqualTo(1);
            other.rollback();
        }
        assertThat(statuses(held)).containsExactly("PENDING", "HELD", "PENDING");
        assertThat(administration
                        .apply(BulkAction.release(), TaskFilter.where().type("pay"), ALL, "ada", null)
                        .changed())
                .as("the next call finds it")
                .isEqualTo(1);
    }

    @Test
    void aTaskWhoseEvidenceIsLockedIsSkippedAndTheOthersAreNot() throws SQLException {
        List<TaskId> held = held("pay", 3);
        try (Connection other = harness.testDatabase().connect()) {
            other.setAutoCommit(false);
            other.createStatement()
                    .execute("select 1 from konduit_task_incident where task_id = " + held.get(1) + " for update");

            BulkResult result =
                    administration.apply(BulkAction.fail(), TaskFilter.where().type("pay"), ALL, "ada", null);

            assertThat(result.changed()).isEqualTo(2);
            assertThat(result.skipped()).isEqualTo(1);
            other.rollback();
        }
        assertThat(statuses(held)).containsExactly("FAILED", "HELD", "FAILED");
    }

    @Test
    void theLimitEndsTheCallAndSaysThatThereIsMore() {
        List<TaskId> held = held("pay", 5);

        BulkResult result =
                administration.apply(BulkAction.release(), TaskFilter.where().type("pay"), 2, "ada", null);

        assertThat(result).isEqualTo(new BulkResult(2, Map.of(TaskStatus.HELD, 2L), 2, 0, true));
        assertThat(statuses(held)).containsExactly("PENDING", "PENDING", "HELD", "HELD", "HELD");
    }

    @Test
    void whatCannotBeMeantIsRefused() {
        held("pay", 1);
        List<String> before = everything();
        refused(() -> administration.apply(BulkAction.release(), TaskFilter.where(), ALL, "ada", null), "condition");
        refused(() -> administration.count(BulkAction.release(), TaskFilter.where()), "Set 'all'");
        refused(
                () -> administration.count(
                        BulkAction.release(), TaskFilter.where().status(TaskStatus.FAILED)),
                "Expected the status of the filter to be one of [HELD] for release, but it is FAILED.");
        refused(() -> administration.apply(BulkAction.release(), TaskFilter.everything(), 0, "ada", null), "limit");
        refused(() -> administration.apply(BulkAction.release(), TaskFilter.everything(), 1, " ", null), "actor");
        refused(
                () -> administration.count(
                        BulkAction.release(), TaskFilter.where().finishedAfter(Instant.EPOCH)),
                "Expected no condition on a time of failure for release of [HELD]: only FAILED tasks have one.");
        refused(
                () -> administration.count(
                        BulkAction.retry(1), TaskFilter.where().holdReason(HoldReason.QUARANTINED)),
                "only HELD tasks have one.");
        refused(() -> BulkAction.retry(0), "1 to 10000 more attempts");
        refused(() -> TaskFilter.where().createdAfter(Instant.MAX), "createdAfter");
        assertThatThrownBy(() -> harness.transaction()
                        .executeWithoutResult(status ->
                                administration.apply(BulkAction.release(), TaskFilter.everything(), ALL, "ada", null)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("commits batch by batch");
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void onlyReclaimsAndCleanUpsOfAPersonAreAuditedWithTheirNote() {
        recovery.orphan(worker);
        recovery.reclaimer().reclaimOnce();
        assertThat(recovery.inspection().audit(Long.MAX_VALUE, 10)).isEmpty();
        harness.testDatabase().execute("truncate konduit_task");
        recovery.orphan(worker);
        administration.reclaimNow("ada", "node was lost");
        harness.testDatabase().execute("truncate konduit_task");
        recovery.running(worker);
        harness.testDatabase()
                .execute("update konduit_task set locked_at = clock_timestamp() - interval '8 days'"
                        + " where status = 'RUNNING'");
        administration.cleanAbandonedNow("grace", "hangs");

        assertThat(recovery.inspection().audit(Long.MAX_VALUE, 10))
                .extracting(AuditEntry::action, AuditEntry::changed, AuditEntry::actor, AuditEntry::note)
                .containsExactly(
                        tuple(AuditAction.CLEAN_ABANDONED, 1, "grace", "hangs"),
                        tuple(AuditAction.RECLAIM, 1, "ada", "node was lost"));
    }

    private static void refused(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(InvalidRequestException.class).hasMessageContaining(message);
    }

    private List<TaskId> held(String type, int count) {
        List<TaskId> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(TaskId.of(recovery.running(worker, TaskRequest.of(type, i).reapable(false))
                    .id()));
        }
        harness.testDatabase()
                .execute("update konduit_task set lock_timeout_at = clock_timestamp() - interval '1 s'"
                        + " where status = 'RUNNING' and not reapable");
        recovery.reclaimer().reclaimOnce();
        recovery.wakeUps().clear();
        return ids;
    }

    private List<TaskId> failed(String type, int count) {
        List<TaskId> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(fail(TaskRequest.of(type, i)));
        }
        return ids;
    }

    private TaskId failedWithKey(String key) {
        return fail(TaskRequest.of("mail", 1).uniqueKey(key));
    }

    private TaskId fail(TaskRequest request) {
        ClaimedTask task = recovery.running(worker, request);
        worker.fail(List.of(new Failure(task.lease(), true, Duration.ZERO, "it failed")));
        return TaskId.of(task.id());
    }

    private void failedAgo(TaskId id, String ago) {
        harness.testDatabase()
                .execute("update konduit_task set finished_at = clock_timestamp() - interval '" + ago + "' where id = "
                        + id);
    }

    private List<String> statuses(List<TaskId> ids) {
        return ids.stream().map(id -> recovery.status(id.value())).toList();
    }

    private List<String> everything() {
        return recovery.jdbc().sql("""
                select to_jsonb(t)::text from konduit_task t union all select to_jsonb(i)::text from konduit_task_incident i
                union all select to_jsonb(a)::text from konduit_audit a union all select to_jsonb(h)::text from konduit_task_history h
                """).query(String.class).list();
    }
}
