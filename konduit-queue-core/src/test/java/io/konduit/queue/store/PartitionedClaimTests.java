package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A ctid names a row within one table only: each partition has another row at the same ctid. */
class PartitionedClaimTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final TaskQueue queue = harness.queue();

    @BeforeEach
    void partition() {
        harness.testDatabase()
                .execute(
                        "alter table konduit_task rename to konduit_task_plain",
                        "create table konduit_task (like konduit_task_plain including defaults including identity)"
                                + " partition by list (queue)",
                        "create table konduit_task_default partition of konduit_task for values in ('default')",
                        "create table konduit_task_payments partition of konduit_task for values in ('payments')",
                        "create index on konduit_task (queue, priority, run_at, id) where status = 'PENDING'");
    }

    @AfterEach
    void restore() {
        harness.testDatabase()
                .execute("drop table konduit_task", "alter table konduit_task_plain rename to konduit_task");
    }

    @Test
    void claimTakesNoRowAtTheSameCtidInAnotherTable() {
        TaskId held = queue.enqueue(TaskRequest.of("pay", 1).queue("payments"));
        queue.enqueue(TaskRequest.of("pay", 2).queue("payments").delay(Duration.ofDays(1)));
        queue.enqueue(TaskRequest.of("pay", 3).queue("payments"));
        harness.testDatabase()
                .execute("update konduit_task set status = 'HELD', hold_reason = 'NOT_REAPABLE' where id = " + held);
        // an update makes a row with a new ctid: the first three must belong to waiting tasks
        harness.testDatabase().execute("vacuum full konduit_task_payments");
        List<TaskId> asked =
                queue.enqueueAll(List.of(TaskRequest.of("pay", 4), TaskRequest.of("pay", 5), TaskRequest.of("pay", 6)));

        assertThat(harness.claim(harness.newWorker(), 10).stream().map(ClaimedTask::id))
                .containsExactlyElementsOf(asked.stream().map(TaskId::value).toList());
        assertThat(harness.jdbc()
                        .sql("select status from konduit_task where queue = 'payments' order by id")
                        .query(String.class)
                        .list())
                .containsExactly("HELD", "PENDING", "PENDING");
    }

    @Test
    void claimOverSeveralTablesTakesRowsOfTheFirstOnly() {
        TaskId due = queue.enqueue("pay", 1);
        // at the ctid of the due one in the other table
        queue.enqueue(TaskRequest.of("pay", 2).delay(Duration.ofDays(1)));
        queue.enqueue(TaskRequest.of("pay", 3).queue("payments").delay(Duration.ofDays(1)));
        TaskId elsewhere = queue.enqueue(TaskRequest.of("pay", 4).queue("payments"));

        ClaimRequest request = new ClaimRequest(
                QueueFixture.probes("default", "payments"), 10, Duration.ofMinutes(5), 3, List.of(), List.of("pay"));
        assertThat(harness.newWorker().claimDue(request).stream().map(ClaimedTask::id))
                .containsExactly(due.value());
        assertThat(harness.newWorker().claimDue(request).stream().map(ClaimedTask::id))
                .containsExactly(elsewhere.value());
    }
}
