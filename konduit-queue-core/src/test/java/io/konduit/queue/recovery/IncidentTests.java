package io.konduit.queue.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.DatabaseClock;
import io.konduit.queue.Incident;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.RecoveryFixture;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Failure;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.LeaseRepository;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
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
    static final QueueHarness harness = new QueueHarness();

    static DatabaseClock clock;
    static RecoveryFixture shared;
    RecoveryFixture recovery;
    TaskAdministration administration;
    LeaseRepository worker;

    @BeforeAll
    static void stopTheClock() {
        clock = DatabaseClock.install(harness.testDatabase(), NOON);
        HikariDataSource application = harness.testDatabase().newPool(4);
        shared = new RecoveryFixture(RecoveryFixture.databaseOn(application));
    }

    @BeforeEach
    void setUp() {
        clock.set(NOON);
        recovery = new RecoveryFixture(shared.database());
        administration = recovery.administration();
        worker = recovery.newWorker();
    }

    @Test
    void reclaimLeavesACompleteIncident() {
        ClaimedTask task = recovery.running(worker);
        clock.set(NOON.plus(LEASE).plusMillis(1_234));

        recovery.reclaimer().reclaimOnce();

        List<Map<String, Object>> incidents = recovery.incidents(task.id());
        assertThat(incidents).hasSize(1);
        assertThat(incidents.get(0))
                .hasSize(20)
                .containsKey("id")
                .containsEntry("task_id", task.id())
                .containsEntry("queue", "default")
                .containsEntry("type", "report")
                .containsEntry("classification", "ZOMBIE")
                .containsEntry("action", "RECLAIMED")
                .containsEntry("actor", RecoveryFixture.REAPER)
                .containsEntry("note", null)
                .containsEntry("previous_owner", worker.worker())
                .containsEntry("lease_epoch", 1L)
                .containsEntry("lease_started_at", Timestamp.from(NOON))
                .containsEntry("lease_ended_at", Timestamp.from(NOON.plus(LEASE)))
                .containsEntry("detected_at", Timestamp.from(NOON.plus(LEASE).plusMillis(1_234)))
                .containsEntry("detection_delay_ms", 1_234L)
                .containsEntry("attempts", 1)
                .containsEntry("zombie_count", 1)
                .containsEntry("late_outcome", null)
                .containsEntry("late_outcome_at", null)
                .containsEntry("outcome", null)
                .containsEntry("outcome_at", null);
    }

    @Test
    void incidentReadsAsItWasWritten() {
        ClaimedTask task = recovery.running(worker);
        clock.set(NOON.plus(LEASE).plusSeconds(2));
        recovery.reclaimer().reclaimOnce();
        clock.advance(Duration.ofSeconds(3));
        new IncidentRepository(recovery.database())
                .recordLateOutcome(List.of(task.lease()), worker.worker(), "COMPLETED");
        recovery.makeDue(TaskId.of(task.id()));
        LeaseRepository other = recovery.newWorker();
        clock.advance(Duration.ofSeconds(4));
        other.complete(List.of(recovery.claimOne(other).lease()));

        Incident incident = administration.incidentsOf(TaskId.of(task.id()), 10).get(0);

        assertThat(incident)
                .isEqualTo(new Incident(
                        incident.id(),
                        TaskId.of(task.id()),
                        "default",
                        "report",
                        "ZOMBIE",
                        "RECLAIMED",
                        RecoveryFixture.REAPER,
                        null,
                        worker.worker(),
                        1,
                        NOON,
                        NOON.plus(LEASE),
                        NOON.plus(LEASE).plusSeconds(2),
                        Duration.ofSeconds(2),
                        1,
                        1,
                        "COMPLETED",
                        NOON.plus(LEASE).plusSeconds(5),
                        "COMPLETED",
                        NOON.plus(LEASE).plusSeconds(9)));
    }

    @Test
    void holdIsClassifiedByItsReason() {
        ClaimedTask task =
                recovery.orphan(worker, TaskRequest.of("payment", null).reapable(false));
        recovery.reclaimer().reclaimOnce();

        assertThat(recovery.incidents(task.id()).get(0))
                .containsEntry("classification", "ZOMBIE")
                .containsEntry("action", "HELD")
                .containsEntry("note", "NOT_REAPABLE")
                .containsEntry("previous_owner", worker.worker());
    }

    @Test
    void decisionOfAPersonNamesNoOwner() {
        TaskId id = held();
        administration.release(id, "ada", "checked");

        assertThat(recovery.incidents(id).get(1))
                .containsEntry("classification", "OPERATOR")
                .containsEntry("action", "RELEASED")
                .containsEntry("actor", "ada")
                .containsEntry("note", "checked")
                .containsEntry("previous_owner", null)
                .containsEntry("lease_started_at", null)
                .containsEntry("lease_ended_at", null)
                .containsEntry("detection_delay_ms", null)
                .containsEntry("detected_at", Timestamp.from(NOON))
                .containsEntry("lease_epoch", 1L)
                .containsEntry("attempts", 1)
                .containsEntry("zombie_count", 1);
    }

    @Test
    void cancellingARunningTaskNamesTheOwnerWhoLosesIt() {
        ClaimedTask task = recovery.running(worker);
        administration.cancel(TaskId.of(task.id()), "ada", null);

        assertThat(recovery.incidents(task.id()).get(0))
                .containsEntry("action", "CANCELLED")
                .containsEntry("previous_owner", worker.worker())
                .containsEntry("lease_started_at", Timestamp.from(NOON))
                .containsEntry("lease_ended_at", Timestamp.from(NOON.plus(LEASE)))
                .containsEntry("outcome", "CANCELLED")
                .containsEntry("outcome_at", Timestamp.from(NOON));
    }

    @Test
    void completionIsTheOutcomeOfEveryOpenIncident() {
        TaskId id = recovery.queue().enqueue("report", null);
        recovery.crashOnce(id);
        recovery.crashOnce(id);
        ClaimedTask neighbour = recovery.running(worker, TaskRequest.of("other", null));
        recovery.makeDue(id);
        ClaimedTask task = recovery.claimOne(worker);
        clock.advance(Duration.ofSeconds(7));

        worker.complete(List.of(neighbour.lease(), task.lease()));

        assertThat(recovery.incidents(id)).hasSize(2).allSatisfy(incident -> assertThat(incident)
                .containsEntry("outcome", "COMPLETED")
                .containsEntry("outcome_at", Timestamp.from(NOON.plusSeconds(7))));
    }

    @Test
    void completionInTheHandlersTransactionIsAnOutcomeToo() {
        ClaimedTask task = crashedAndClaimedAgain();
        TransactionTemplate transaction = new TransactionTemplate(
                new DataSourceTransactionManager(recovery.database().application()));

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
        recovery.makeDue(TaskId.of(task.id()));
        ClaimedTask last = recovery.claimOne(worker);

        worker.fail(List.of(new Failure(last.lease(), true, Duration.ZERO, "for good")));

        assertThat(outcomes(task)).containsExactly("FAILED");
    }

    @Test
    void refusedCompletionIsNoOutcome() {
        ClaimedTask task = crashedAndClaimedAgain();
        recovery.expire(task, Duration.ofSeconds(1));
        recovery.reclaimer().reclaimOnce();

        assertThat(worker.complete(List.of(task.lease()))).isEmpty();

        assertThat(outcomes(task)).hasSize(2).containsOnlyNulls();
    }

    @Test
    void cancellationIsAnOutcome() {
        ClaimedTask task = crashedAndClaimedAgain();

        recovery.queue().cancel(TaskId.of(task.id()));

        assertThat(outcomes(task)).containsExactly("CANCELLED", "CANCELLED");
    }

    @Test
    void taskThatAPersonRetriesHasNotEndedAfterAll() {
        TaskId id = held();
        administration.fail(id, "ada", null);
        assertThat(outcomes(id)).containsExactly("FAILED", "FAILED");

        administration.retry(id, 1, "grace", null);
        assertThat(outcomes(id)).hasSize(3).containsOnlyNulls();
        worker.complete(List.of(recovery.claimOne(worker).lease()));

        assertThat(outcomes(id)).containsExactly("COMPLETED", "COMPLETED", "COMPLETED");
    }

    @Test
    void oneQueryTellsHowManyZombiesThereWereYesterdayOfWhichTypesAndWhetherTheyRecovered() {
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

        List<Map<String, Object>> answer = recovery.jdbc().sql("""
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
        assertThat(recovery.status(open.value())).isEqualTo("PENDING");
        // and the same by one call
        assertThat(administration.incidents(Duration.ofHours(36), 100))
                .filteredOn(incident -> incident.previousOwner() != null
                        && incident.detectedAt().isBefore(NOON))
                .hasSize(4);
    }

    private TaskId held() {
        ClaimedTask task =
                recovery.orphan(worker, TaskRequest.of("payment", null).reapable(false));
        recovery.reclaimer().reclaimOnce();
        return TaskId.of(task.id());
    }

    private TaskId crash(String type) {
        ClaimedTask task = recovery.orphan(recovery.newWorker(), TaskRequest.of(type, null));
        recovery.reclaimer().reclaimOnce();
        harness.testDatabase()
                .execute("update konduit_task set run_at = run_at + interval '7 days' where id = " + task.id());
        return TaskId.of(task.id());
    }

    private ClaimedTask crashedAndClaimedAgain() {
        TaskId id = recovery.queue().enqueue("report", null);
        recovery.crashOnce(id);
        return claim(id);
    }

    private ClaimedTask claim(TaskId id) {
        recovery.makeDue(id);
        ClaimedTask task = recovery.claimOne(worker);
        assertThat(task.id()).isEqualTo(id.value());
        return task;
    }

    private void complete(TaskId id) {
        assertThat(worker.complete(List.of(claim(id).lease()))).hasSize(1);
    }

    private List<Object> outcomes(ClaimedTask task) {
        return outcomes(TaskId.of(task.id()));
    }

    private List<Object> outcomes(TaskId id) {
        return recovery.incidents(id).stream()
                .map(incident -> incident.get("outcome"))
                .toList();
    }
}
