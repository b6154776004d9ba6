package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** F6: an outcome is reported again because the reply to its commit was lost. */
@Tag("F6")
class LostReplyTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final TaskQueue queue = harness.queue();
    private final LeaseRepository worker = harness.newWorker();

    private Lease claimedTask(int maxAttempts) {
        queue.enqueue(TaskRequest.of("a", 1).maxAttempts(maxAttempts));
        return harness.claimOne(worker).lease();
    }

    private FailureResult fail(Lease lease, boolean fatal) {
        return worker.fail(List.of(new Failure(lease, fatal, Duration.ZERO, "error")))
                .get(lease);
    }

    @Test
    @Tag("T4")
    @Tag("I7")
    void repeatedCompletionStands() {
        Lease lease = claimedTask(3);
        assertThat(worker.complete(List.of(lease))).containsExactly(lease);
        String before = harness.wholeRow(lease.taskId());
        assertThat(worker.complete(List.of(lease))).containsExactly(lease);
        assertThat(harness.wholeRow(lease.taskId())).isEqualTo(before);
    }

    @Test
    void repeatedCompletionInABatchWithNewOnesStands() {
        Lease first = claimedTask(3);
        worker.complete(List.of(first));
        Lease second = claimedTask(3);
        assertThat(worker.complete(List.of(first, second))).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void repeatedFailureSaysThatItWasAppliedAndChargesNothing() {
        Lease lease = claimedTask(3);
        assertThat(fail(lease, false)).isEqualTo(FailureResult.RETRY);
        String before = harness.wholeRow(lease.taskId());
        assertThat(fail(lease, false)).isEqualTo(FailureResult.ALREADY_APPLIED);
        assertThat(harness.wholeRow(lease.taskId())).isEqualTo(before);
    }

    @Test
    void repeatedFailureForGoodSaysThatItWasApplied() {
        Lease lease = claimedTask(3);
        assertThat(fail(lease, true)).isEqualTo(FailureResult.FINAL);
        assertThat(fail(lease, true)).isEqualTo(FailureResult.ALREADY_APPLIED);
    }

    @Test
    void repeatedFailureSaysThatItWasAppliedAlsoWhenTheNextAttemptIsUnderWay() {
        Lease lease = claimedTask(3);
        fail(lease, false);
        Lease next = harness.claimOne(harness.newWorker()).lease();
        String before = harness.wholeRow(next.taskId());
        assertThat(fail(lease, false)).isEqualTo(FailureResult.ALREADY_APPLIED);
        assertThat(harness.wholeRow(next.taskId())).isEqualTo(before);
    }

    @Test
    void repeatedFailureSaysThatItWasAppliedAlsoWhenTheNextAttemptIsDone() {
        Lease lease = claimedTask(3);
        fail(lease, false);
        LeaseRepository other = harness.newWorker();
        other.complete(List.of(harness.claimOne(other).lease()));
        assertThat(fail(lease, false)).isEqualTo(FailureResult.ALREADY_APPLIED);
    }

    @Test
    void repeatedGivingBackStandsAndAddsNoAttempt() {
        Lease lease = claimedTask(1);
        assertThat(worker.giveBack(List.of(lease), Duration.ZERO)).containsExactly(lease);
        assertThat(worker.giveBack(List.of(lease), Duration.ZERO)).containsExactly(lease);
        assertThat(harness.column(lease.taskId(), "max_attempts", Integer.class))
                .isEqualTo(2);
    }

    /** A transactional handler's commit reply was lost: the worker sees an error and reports a failure. */
    @Test
    @Tag("F4")
    void failureAfterACommittedCompletionSaysThatItWasApplied() {
        Lease lease = claimedTask(3);
        harness.transaction().executeWithoutResult(status -> worker.completeInTransaction(lease));
        assertThat(fail(lease, false)).isEqualTo(FailureResult.ALREADY_APPLIED);
        assertThat(harness.status(TaskId.of(lease.taskId()))).isEqualTo("COMPLETED");
    }

    @Test
    void completionAfterAFailureIsRefused() {
        Lease lease = claimedTask(3);
        fail(lease, false);
        assertThat(worker.complete(List.of(lease))).isEmpty();
        assertThat(harness.status(TaskId.of(lease.taskId()))).isEqualTo("PENDING");
    }

    @Test
    void recoveredTaskTellsItsIncidentHowItEnded() {
        Lease first = claimedTask(3);
        harness.takeBack(first.taskId());
        Lease second = harness.claimOne(worker).lease();
        assertThat(worker.complete(List.of(second))).containsExactly(second);
        assertThat(outcomes(first.taskId())).containsExactly("COMPLETED");

        Lease third = claimedTask(3);
        harness.takeBack(third.taskId());
        Lease fourth = harness.claimOne(worker).lease();
        fail(fourth, false);
        assertThat(outcomes(third.taskId())).isEmpty();
        Lease fifth = harness.claimOne(worker).lease();
        assertThat(fail(fifth, true)).isEqualTo(FailureResult.FINAL);
        assertThat(outcomes(third.taskId())).containsExactly("FAILED");
    }

    @Test
    @Tag("F2")
    void lateReportIsKeptAsEvidenceAndTheFirstOneStays() {
        Lease lease = claimedTask(3);
        harness.takeBack(lease.taskId());
        IncidentRepository incidents = new IncidentRepository(harness.database());
        assertThat(incidents.recordLateOutcome(List.of(lease), worker.worker(), "COMPLETED"))
                .isEqualTo(1);
        assertThat(incidents.recordLateOutcome(List.of(lease), worker.worker(), "FAILED"))
                .isZero();
        assertThat(incidents.recordLateOutcome(
                        List.of(lease), harness.newWorker().worker(), "FAILED"))
                .isZero();
        assertThat(harness.jdbc()
                        .sql("select late_outcome from konduit_task_incident where task_id = :id")
                        .param("id", lease.taskId())
                        .query(String.class)
                        .list())
                .containsExactly("COMPLETED");
    }

    private static List<String> outcomes(long id) {
        return harness.jdbc()
                .sql("select outcome from konduit_task_incident where task_id = :id and outcome is not null")
                .param("id", id)
                .query(String.class)
                .list();
    }
}
