package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.StoredIncident;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.TaskNotFoundException;
import io.konduit.queue.admin.TaskStateException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** T17: the start of a task that waits can be moved, and of no other. */
@Tag("T17")
class RescheduleTests {
    private static final Instant FAR = Instant.parse("2099-01-01T00:00:00Z");

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final List<Set<String>> wakeUps = new ArrayList<>();
    private final TaskQueue queue =
            harness.engine().wakeUps(() -> Stream.of(wakeUps::add)).build().taskQueue();
    private final LeaseRepository worker = harness.newWorker();

    @Test
    void aWaitingTaskStartsLater() {
        TaskId id = queue.enqueue("a", 1);
        wakeUps.clear();
        assertThat(queue.reschedule(id, FAR)).isTrue();
        assertThat(queue.find(id).orElseThrow().runAt()).isEqualTo(FAR);
        assertThat(harness.claim(worker, 10)).isEmpty();
        assertThat(wakeUps).isEmpty();
    }

    @Test
    void aStartInThePastMeansNowAndWakesWorkers() {
        TaskId waited = queue.enqueue("a", 1);
        TaskId id = queue.enqueue(TaskRequest.of("a", 2).delay(Duration.ofDays(1)));
        wakeUps.clear();
        assertThat(queue.reschedule(id, Instant.EPOCH)).isTrue();
        assertThat(harness.claim(worker, 10))
                .as("it does not overtake what has waited longer")
                .extracting(ClaimedTask::id)
                .containsExactly(waited.value(), id.value());
        assertThat(wakeUps).containsExactly(Set.of("default"));
    }

    @Test
    void itJoinsTheTransactionOfTheCallerAndWakesAfterItsCommit() {
        TaskId id = queue.enqueue(TaskRequest.of("a", 1).runAt(FAR));
        harness.transaction().executeWithoutResult(status -> {
            assertThat(queue.reschedule(id, Instant.EPOCH)).isTrue();
            status.setRollbackOnly();
        });
        assertThat(queue.find(id).orElseThrow().runAt()).isEqualTo(FAR);
        assertThat(wakeUps).isEmpty();
        harness.transaction().executeWithoutResult(status -> {
            assertThat(queue.reschedule(id, Instant.EPOCH)).isTrue();
            assertThat(wakeUps).as("before the commit").isEmpty();
        });
        assertThat(wakeUps).containsExactly(Set.of("default"));
        assertThat(harness.claim(worker, 10)).hasSize(1);
    }

    @Test
    void aTaskThatRunsIsHeldOrHasEndedStaysAsItIs() {
        TaskId running = queue.enqueue("a", 1);
        harness.claimOne(worker);
        TaskId held = queue.enqueue("a", 2);
        harness.claimOne(worker);
        harness.hold(held.value());
        TaskId failed = queue.enqueue("a", 3);
        worker.fail(List.of(new Failure(harness.claimOne(worker).lease(), true, Duration.ZERO, "x")));
        TaskId completed = queue.enqueue("a", 4);
        worker.complete(List.of(harness.claimOne(worker).lease()));
        for (TaskId id : List.of(running, held, failed, completed, TaskId.of(Long.MAX_VALUE))) {
            assertThat(queue.reschedule(id, FAR)).as("task %s", id).isFalse();
        }
        assertThat(harness.count("select count(*) from konduit_tasks where run_at = '2099-01-01T00:00:00Z'"))
                .isZero();
    }

    @Test
    void anImpossibleTimeIsRefused() {
        TaskId id = queue.enqueue("a", 1);
        assertThatThrownBy(() -> queue.reschedule(id, Instant.MAX))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageStartingWith("Expected the new start to be between ");
    }

    @Test
    void aPersonsMoveIsAuditedAndWakesOnlyWhenTheTaskIsDue() {
        QueueFixture recovery = new QueueFixture(harness.database());
        TaskAdministration administration = recovery.administration();
        TaskId id = queue.enqueue("a", 1);

        administration.reschedule(id, FAR, "ada", "after the sale");
        assertThat(recovery.wakeUps()).isEmpty();
        administration.reschedule(id, Duration.ofHours(1), "ada", null);
        assertThat(recovery.wakeUps()).isEmpty();
        administration.reschedule(id, Duration.ZERO, "ada", null);
        assertThat(recovery.wakeUps()).containsExactly(Set.of("default"));

        assertThat(recovery.incidents(id))
                .extracting(row -> List.of(row.classification(), row.action(), row.actor()))
                .containsOnly(List.of("OPERATOR", "RESCHEDULED", "ada"))
                .hasSize(3);
        assertThat(recovery.incidents(id).get(0)).returns("after the sale", StoredIncident::note);
        harness.claimOne(worker);
        assertThatThrownBy(() -> administration.reschedule(id, FAR, "ada", null))
                .isInstanceOf(TaskStateException.class)
                .hasMessage("Task " + id + " cannot be rescheduled: expected it to be PENDING, but it is RUNNING.");
        assertThatThrownBy(() -> administration.reschedule(TaskId.of(Long.MAX_VALUE), FAR, "ada", null))
                .isInstanceOf(TaskNotFoundException.class);
        assertThatThrownBy(() -> administration.reschedule(id, Duration.ofSeconds(-1), "ada", null))
                .isInstanceOf(InvalidRequestException.class);
    }
}
