package io.konduit.queue.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.DatabaseClock;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.StoredIncident;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.admin.Cursor;
import io.konduit.queue.admin.Incident;
import io.konduit.queue.admin.IncidentAction;
import io.konduit.queue.admin.IncidentClassification;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.TaskOutcome;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Failure;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.LeaseRepository;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What the evidence says, column by column, and that it learns how the task ended. */
@Tag("L19")
class IncidentTests {
    private static final Instant NOON = Instant.parse("2031-10-26T12:00:00Z");
    private static final Duration LEASE = Duration.ofMinutes(5);

    @RegisterExtension
    static final QueueHarness harness = QueueHarness.stoppedAt(NOON);

    private final DatabaseClock clock = harness.clock();
    private final TaskAdministration administration = harness.administration();
    private final LeaseRepository worker = harness.newWorker();

    @Test
    void reclaimLeavesACompleteIncident() {
        ClaimedTask task = harness.running(worker);
        clock.set(NOON.plus(LEASE).plusMillis(1_234));

        harness.reclaimer().reclaimOnce();

        List<StoredIncident> incidents = harness.incidents(task.id());
        assertThat(incidents)
                .containsExactly(new StoredIncident(
                        incidents.get(0).id(),
                        task.id(),
                        "default",
                        "report",
                        "ZOMBIE",
                        "RECLAIMED",
                        QueueFixture.REAPER,
                        null,
                        worker.worker(),
                        1,
                        NOON,
                        NOON.plus(LEASE),
                        NOON.plus(LEASE).plusMillis(1_234),
                        1_234L,
                        1,
                        1,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null));
        assertThat(harness.count(
                        "select count(*) from information_schema.columns where table_name = 'konduit_task_incident'"))
                .as("columns that this test knows")
                .isEqualTo(StoredIncident.class.getRecordComponents().length);
    }

    @Test
    void incidentReadsAsItWasWritten() {
        ClaimedTask task = harness.running(worker);
        clock.set(NOON.plus(LEASE).plusSeconds(2));
        harness.reclaimer().reclaimOnce();
        clock.advance(Duration.ofSeconds(3));
        new IncidentRepository(harness.database())
                .recordLateOutcome(List.of(task.lease()), worker.worker(), "COMPLETED");
        harness.makeDue(TaskId.of(task.id()));
        LeaseRepository other = harness.newWorker();
        clock.advance(Duration.ofSeconds(4));
        other.complete(List.of(harness.claimOne(other).lease()));

        Incident incident =
                harness.inspection().incidentsOf(TaskId.of(task.id()), 10).get(0);

        assertThat(incident)
                .isEqualTo(new Incident(
                        incident.id(),
                        TaskId.of(task.id()),
                        "default",
                        "report",
                        IncidentClassification.ZOMBIE,
                        IncidentAction.RECLAIMED,
                        QueueFixture.REAPER,
                        null,
                        worker.worker(),
                        1,
                        NOON,
                        NOON.plus(LEASE),
                        NOON.plus(LEASE).plusSeconds(2),
                        Duration.ofSeconds(2),
                        1,
                        1,
                        TaskOutcome.COMPLETED,
                        NOON.plus(LEASE).plusSeconds(5),
                        TaskOutcome.COMPLETED,
                        NOON.plus(LEASE).plusSeconds(9),
                        null,
                        null));
    }

    @Test
    void holdIsClassifiedByItsReason() {
        ClaimedTask task =
                harness.orphan(worker, TaskRequest.of("payment", null).reapable(false));
        harness.reclaimer().reclaimOnce();

        assertThat(harness.incidents(task.id()).get(0))
                .returns("ZOMBIE", StoredIncident::classification)
                .returns("HELD", StoredIncident::action)
                .returns("NOT_REAPABLE", StoredIncident::note)
                .returns(worker.worker(), StoredIncident::previousOwner);
    }

    @Test
    void decisionOfAPersonNamesNoOwner() {
        TaskId id = held();
        administration.release(id, "ada", "checked");

        assertThat(harness.incidents(id).get(1))
                .returns("OPERATOR", StoredIncident::classification)
                .returns("RELEASED", StoredIncident::action)
                .returns("ada", StoredIncident::actor)
                .returns("checked", StoredIncident::note)
                .returns(null, StoredIncident::previousOwner)
                .returns(null, StoredIncident::leaseStartedAt)
                .returns(null, StoredIncident::leaseEndedAt)
                .returns(null, StoredIncident::detectionDelayMs)
                .returns(NOON, StoredIncident::detectedAt)
                .returns(1L, StoredIncident::leaseEpoch)
                .returns(1, StoredIncident::attempts)
                .returns(1, StoredIncident::zombieCount);
    }

    @Test
    void cancellingARunningTaskNamesTheOwnerWhoLosesIt() {
        ClaimedTask task = harness.running(worker);
        administration.cancel(TaskId.of(task.id()), "ada", null);

        assertThat(harness.incidents(task.id()).get(0))
                .returns("CANCELLED", StoredIncident::action)
                .returns(worker.worker(), StoredIncident::previousOwner)
                .returns(NOON, StoredIncident::leaseStartedAt)
                .returns(NOON.plus(LEASE), StoredIncident::leaseEndedAt)
                .returns("CANCELLED", StoredIncident::outcome)
                .returns(NOON, StoredIncident::outcomeAt);
    }

    @Test
    void completionIsTheOutcomeOfEveryOpenIncident() {
        TaskId id = harness.queue().enqueue("report", null);
        harness.crashOnce(id);
        harness.crashOnce(id);
        ClaimedTask neighbour = harness.running(worker, TaskRequest.of("other", null));
        harness.makeDue(id);
        ClaimedTask task = harness.claimOne(worker);
        clock.advance(Duration.ofSeconds(7));

        worker.complete(List.of(neighbour.lease(), task.lease()));

        assertThat(harness.incidents(id)).hasSize(2).allSatisfy(incident -> assertThat(incident)
                .returns("COMPLETED", StoredIncident::outcome)
                .returns(NOON.plusSeconds(7), StoredIncident::outcomeAt));
    }

    @Test
    void completionInTheHandlersTransactionIsAnOutcomeToo() {
        ClaimedTask task = crashedAndClaimedAgain();
        TransactionTemplate transaction = new TransactionTemplate(
                new DataSourceTransactionManager(harness.database().application()));

        transaction.executeWithoutResult(status -> {
            assertThat(worker.completeInTransaction(task.lease())).isTrue();
            status.setRollbackOnly();
        });
        assertThat(outcomes(task)).containsOnlyNulls();
        transaction.executeWithoutResult(status -> worker.completeInTransaction(task.lease()));

        assertThat(outcomes(task)).containsExactly("COMPLETED");
    }

    @Test
    void finalFailureIsAnOutcomeAndARetryIsNot() {
        ClaimedTask task = crashedAndClaimedAgain();
        worker.fail(List.of(new Failure(task.lease(), false, Duration.ZERO, "once")));
        assertThat(outcomes(task)).containsOnlyNulls();
        harness.makeDue(TaskId.of(task.id()));
        ClaimedTask last = harness.claimOne(worker);

        worker.fail(List.of(new Failure(last.lease(), true, Duration.ZERO, "for good")));

        assertThat(outcomes(task)).containsExactly("FAILED");
    }

    @Test
    void refusedCompletionIsNoOutcome() {
        ClaimedTask task = crashedAndClaimedAgain();
        harness.expire(task, Duration.ofSeconds(1));
        harness.reclaimer().reclaimOnce();

        assertThat(worker.complete(List.of(task.lease()))).isEmpty();

        assertThat(outcomes(task)).hasSize(2).containsOnlyNulls();
    }

    @Test
    void cancellationIsAnOutcome() {
        ClaimedTask task = crashedAndClaimedAgain();

        harness.queue().cancel(TaskId.of(task.id()));

        assertThat(outcomes(task)).containsExactly("CANCELLED", "CANCELLED");
    }

    @Test
    void taskThatAPersonRetriesHasNotEndedAfterAll() {
        TaskId id = held();
        administration.fail(id, "ada", null);
        assertThat(outcomes(id)).containsExactly("FAILED", "FAILED");

        administration.retry(id, 1, "grace", null);
        assertThat(outcomes(id)).hasSize(3).containsOnlyNulls();
        worker.complete(List.of(harness.claimOne(worker).lease()));

        assertThat(outcomes(id)).containsExactly("COMPLETED", "COMPLETED", "COMPLETED");
    }

    @Test
    void oneQueryCountsZombiesByTypeAndWhetherTheyRecovered() {
        Instant yesterday = NOON.minus(Duration.ofDays(1));
        clock.set(yesterday.minus(Duration.ofDays(1)));
        complete(crash("report"));
        clock.set(yesterday);
        TaskId recovered = crash("report");
        TaskId failed = crash("report");
        TaskId open = crash("report");
        TaskId payment = held();
        clock.set(NOON);
        crash("report");
        complete(recovered);
        ClaimedTask last = claim(failed);
        worker.fail(List.of(new Failure(last.lease(), true, Duration.ZERO, "for good")));
        administration.release(payment, "ada", null);
        complete(payment);

        List<Map<String, Object>> answer = harness.jdbc().sql("""
                        select type, count(*) as zombies,
                               count(*) filter (where action = 'HELD') as held,
                               count(*) filter (where outcome = 'COMPLETED') as recovered,
                               count(*) filter (where outcome in ('FAILED', 'CANCELLED')) as lost,
                               count(*) filter (where outcome is null) as open
                          from konduit_task_incident
                         where classification in ('ZOMBIE', 'QUARANTINED', 'ABANDONED')
                           and detected_at >= date_trunc('day', clock_timestamp()) - interval '1 day'
                           and detected_at < date_trunc('day', clock_timestamp())
                         group by type
                         order by type""").query().listOfRows();

        assertThat(answer)
                .containsExactly(
                        Map.of("type", "payment", "zombies", 1L, "held", 1L, "recovered", 1L, "lost", 0L, "open", 0L),
                        Map.of("type", "report", "zombies", 3L, "held", 0L, "recovered", 1L, "lost", 1L, "open", 1L));
        assertThat(harness.status(open.value())).isEqualTo("PENDING");
        // and the same by one call
        assertThat(harness.inspection().incidents(Duration.ofHours(36), Cursor.START, 100))
                .filteredOn(incident -> incident.previousOwner() != null
                        && incident.detectedAt().isBefore(NOON))
                .hasSize(4);
    }

    private TaskId held() {
        ClaimedTask task =
                harness.orphan(worker, TaskRequest.of("payment", null).reapable(false));
        harness.reclaimer().reclaimOnce();
        return TaskId.of(task.id());
    }

    private TaskId crash(String type) {
        ClaimedTask task = harness.orphan(harness.newWorker(), TaskRequest.of(type, null));
        harness.reclaimer().reclaimOnce();
        harness.testDatabase()
                .execute("update konduit_task set run_at = run_at + interval '7 days' where id = " + task.id());
        return TaskId.of(task.id());
    }

    private ClaimedTask crashedAndClaimedAgain() {
        TaskId id = harness.queue().enqueue("report", null);
        harness.crashOnce(id);
        return claim(id);
    }

    private ClaimedTask claim(TaskId id) {
        harness.makeDue(id);
        ClaimedTask task = harness.claimOne(worker);
        assertThat(task.id()).isEqualTo(id.value());
        return task;
    }

    private void complete(TaskId id) {
        assertThat(worker.complete(List.of(claim(id).lease()))).hasSize(1);
    }

    private List<String> outcomes(ClaimedTask task) {
        return outcomes(TaskId.of(task.id()));
    }

    private List<String> outcomes(TaskId id) {
        return harness.incidents(id).stream().map(StoredIncident::outcome).toList();
    }
}
