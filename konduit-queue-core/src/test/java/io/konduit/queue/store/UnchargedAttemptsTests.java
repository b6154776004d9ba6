package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.admin.Cursor;
import io.konduit.queue.admin.IncidentAction;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.TaskSearch;
import io.konduit.queue.operations.DatabaseQueueInspection;
import io.konduit.queue.settings.InspectionSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A claim that was given back was never charged, wherever somebody looks: it raises neither attempts nor their limit. */
@Tag("S8")
class UnchargedAttemptsTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final TaskQueue queue = harness.queue();
    private final LeaseRepository worker = harness.newWorker();
    private final QueueFixture recovery = new QueueFixture(harness.database());
    private final TaskAdministration administration = recovery.administration();
    private TaskId id;

    @BeforeEach
    void giveBackTwice() {
        id = queue.enqueue(TaskRequest.of("a", 1).maxAttempts(3));
        for (int i = 0; i < 2; i++) {
            worker.giveBack(List.of(harness.claimOne(worker).lease()), Duration.ZERO);
        }
    }

    private void assertShows(int attempts) {
        Task found = queue.find(id).orElseThrow();
        assertThat(List.of(found.attempts(), found.maxAttempts())).containsExactly(attempts, 3);
        QueueInspection inspection = new DatabaseQueueInspection(harness.database(), InspectionSettings.defaults());
        Task story = inspection.story(id).task();
        assertThat(List.of(story.attempts(), story.maxAttempts())).containsExactly(attempts, 3);
        for (TaskSearch criteria :
                List.of(new TaskSearch(null, null, null, null), new TaskSearch(found.status(), null, null, null))) {
            assertThat(inspection.search(criteria, Cursor.START, 10).tasks())
                    .singleElement()
                    .satisfies(task -> assertThat(List.of(task.attempts(), task.maxAttempts()))
                            .containsExactly(attempts, 3));
        }
    }

    /** L3: a reclaimed task that had used up its attempts runs once more. That run can be given back as any other. */
    @Test
    @Tag("L3")
    void theRunAfterTheLastAttemptCanBeGivenBack() {
        TaskId other = queue.enqueue(TaskRequest.of("b", 1).maxAttempts(1));
        worker.giveBack(List.of(harness.claimOne(worker).lease()), Duration.ofHours(1));
        harness.expireLease(harness.claimOne(worker).id(), Duration.ofSeconds(1));
        recovery.reclaimer().reclaimOnce();
        harness.makeDue(other.value());

        worker.giveBack(List.of(harness.claimOne(worker).lease()), Duration.ZERO);

        assertThat(harness.status(other)).isEqualTo("PENDING");
    }

    @Test
    void waitingAndRunningTaskShowChargedAttemptsOnly() {
        assertShows(0);
        ClaimedTask claimed = harness.claimOne(worker);
        assertThat(List.of(claimed.attempt(), claimed.maxAttempts())).containsExactly(1, 3);
        assertShows(1);
        assertThat(harness.jdbc()
                        .sql("select attempts || ' of ' || max_attempts from konduit_task")
                        .query(String.class)
                        .single())
                .as("the columns of the table never fall")
                .isEqualTo("3 of 5");
    }

    @Test
    void completedTaskShowsChargedAttemptsOnly() {
        worker.complete(List.of(harness.claimOne(worker).lease()));
        assertShows(1);
    }

    @Test
    void taskThatWasCompletedApartFromALockedOneShowsChargedAttemptsOnly() {
        worker.completeUnlocked(List.of(harness.claimOne(worker).lease()));
        assertShows(1);
    }

    @Test
    void cancelledTaskAndItsIncidentShowChargedAttemptsOnly() {
        harness.claimOne(worker);
        queue.cancel(id);
        assertShows(1);
        assertIncidents(1);
    }

    @Test
    void failedAndRetriedTaskAndItsIncidentShowChargedAttemptsOnly() {
        Failure fatal = new Failure(harness.claimOne(worker).lease(), true, Duration.ZERO, "x");
        worker.fail(List.of(fatal));
        assertShows(1);
        administration.retry(id, 2, "ada", null);
        assertShows(1);
        assertThat(queue.find(id).orElseThrow().maxAttempts()).isEqualTo(3);
        assertIncidents(1);
    }

    @Test
    void heldReleasedAndFailedTaskAndItsIncidentsShowChargedAttemptsOnly() {
        harness.claimOne(worker);
        harness.hold(id.value());
        assertThat(recovery.inspection().held(null, 10)).singleElement().satisfies(held -> assertThat(held.attempts())
                .isEqualTo(1));
        assertThat(recovery.inspection().zombiesAbove(0, 10))
                .singleElement()
                .satisfies(task -> assertThat(task.attempts()).isEqualTo(1));
        assertShows(1);
        administration.release(id, "ada", null);
        harness.claimOne(worker);
        harness.hold(id.value());
        administration.fail(id, "ada", null);
        assertShows(2);
        assertThat(recovery.inspection().incidentsOf(id, 10).stream()
                        .filter(incident -> incident.action() != IncidentAction.HELD)
                        .map(incident -> incident.attempts()))
                .containsExactly(2, 1);
    }

    @Test
    void incidentOfARescheduleShowsChargedAttemptsOnly() {
        administration.reschedule(id, Duration.ofHours(1), "ada", null);
        assertIncidents(0);
    }

    @Test
    void incidentOfAReclaimShowsChargedAttemptsOnly() {
        harness.expireLease(harness.claimOne(worker).id(), Duration.ofSeconds(1));
        recovery.reclaimer().reclaimOnce();
        assertShows(1);
        assertIncidents(1);
    }

    private void assertIncidents(Integer... attempts) {
        assertThat(recovery.inspection().incidentsOf(id, 10).stream()
                        .map(incident -> incident.attempts())
                        .toList())
                .containsExactly(attempts);
    }
}
