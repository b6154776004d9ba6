package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.StoredIncident;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CancelTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final TaskQueue queue = harness.queue();
    private final LeaseRepository worker = harness.newWorker();

    @Test
    @Tag("T11")
    void cancelsAWaitingTask() {
        TaskId id = queue.enqueue("a", 1);
        assertThat(queue.cancel(id)).isTrue();
        assertThat(harness.status(id)).isEqualTo("CANCELLED");
        assertThat(harness.claim(worker, 10)).isEmpty();
        assertAudited(id, null);
    }

    @Test
    @Tag("T11")
    void cancelsARunningTaskAndItsWorkerLearnsAtTheNextExtension() {
        TaskId id = queue.enqueue("a", 1);
        Lease lease = harness.claimOne(worker).lease();
        assertThat(queue.cancel(id)).isTrue();
        assertThat(worker.extend(Map.of(lease, Duration.ofMinutes(5)))).containsEntry(lease, ExtensionResult.LOST);
        assertThat(harness.status(id)).isEqualTo("CANCELLED");
        assertAudited(id, worker);
    }

    @Test
    void whatTheHandlerOfACancelledTaskReportsIsEvidenceButNoFalseReclaim() {
        TaskId id = queue.enqueue("a", 1);
        Lease lease = harness.claimOne(worker).lease();
        assertThat(worker.isCancelled(lease)).isFalse();
        queue.cancel(id);
        assertThat(worker.isCancelled(lease)).isTrue();
        assertThat(harness.newWorker().isCancelled(lease))
                .as("of another worker")
                .isFalse();
        assertThat(new IncidentRepository(harness.database())
                        .recordLateOutcome(List.of(lease), worker.worker(), "COMPLETED"))
                .isZero();
        assertThat(harness.jdbc()
                        .sql("select late_outcome from konduit_task_incident where task_id = :id")
                        .param("id", id.value())
                        .query(String.class)
                        .single())
                .isEqualTo("COMPLETED");
    }

    @Test
    void leasesThatAreGoneAreFoundByALook() {
        TaskId cancelled = queue.enqueue("a", 1);
        Lease gone = harness.claimOne(worker).lease();
        queue.enqueue("a", 2);
        Lease kept = harness.claimOne(worker).lease();
        queue.cancel(cancelled);
        assertThat(worker.findLost(List.of(gone, kept))).containsExactly(cancelled.value());
    }

    @Test
    void cancelsAFailedTask() {
        TaskId id = queue.enqueue("a", 1);
        worker.fail(List.of(new Failure(harness.claimOne(worker).lease(), true, Duration.ZERO, "x")));
        assertThat(queue.cancel(id)).isTrue();
        assertThat(harness.status(id)).isEqualTo("CANCELLED");
        assertAudited(id, null);
    }

    @Test
    void cancelsAHeldTaskAndItsIncidentTellsTheOutcome() {
        TaskId id = queue.enqueue("a", 1);
        harness.claimOne(worker);
        harness.hold(id.value());
        assertThat(queue.cancel(id)).isTrue();
        assertThat(harness.jdbc()
                        .sql(
                                "select action || ' ' || outcome from konduit_task_incident where task_id = :id order by id")
                        .param("id", id.value())
                        .query(String.class)
                        .list())
                .containsExactly("HELD CANCELLED", "CANCELLED CANCELLED");
    }

    @Test
    void cancelsNothingThatHasEndedOrNeverWas() {
        TaskId completed = queue.enqueue("a", 1);
        worker.complete(List.of(harness.claimOne(worker).lease()));
        TaskId cancelled = queue.enqueue("a", 2);
        queue.cancel(cancelled);
        assertThat(queue.cancel(completed)).isFalse();
        assertThat(queue.cancel(cancelled)).isFalse();
        assertThat(queue.cancel(TaskId.of(Long.MAX_VALUE))).isFalse();
        assertThat(harness.status(completed)).isEqualTo("COMPLETED");
        assertAudited(cancelled, null);
    }

    @Test
    void cancelJoinsTheTransactionOfTheCaller() {
        TaskId id = queue.enqueue("a", 1);
        harness.transaction().executeWithoutResult(status -> {
            assertThat(queue.cancel(id)).isTrue();
            status.setRollbackOnly();
        });
        assertThat(harness.status(id)).isEqualTo("PENDING");
    }

    private static void assertAudited(TaskId id, LeaseRepository owner) {
        harness.assertThatTask(id)
                .incidents()
                .singleElement()
                .returns("OPERATOR", StoredIncident::classification)
                .returns("CANCELLED", StoredIncident::action)
                .returns("application", StoredIncident::actor)
                .returns(owner == null ? null : owner.worker(), StoredIncident::previousOwner);
    }
}
