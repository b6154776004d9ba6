package io.konduit.queue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Two applications on one queue, in JVMs of their own, and a sender that knows none of their handlers. Only the application
 * that has a handler decides that its tasks must not run twice.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@EnabledOnOs({OS.LINUX, OS.MAC})
@Tag("L14")
@Tag("S10")
class TwoApplicationsTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    @RegisterExtension
    final WorkerJvms jvms = new WorkerJvms();

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration DRAIN = Duration.ofMillis(300);

    private final TaskQueue sender = harness.queue();

    @Test
    @Tag("L13")
    void paymentOfAKilledWorkerIsHeldAndNotRunAgain() {
        WorkerJvm payments = beginSlowPayment();
        payments.kill();
        assertHeldAndRunOnce(payments);
    }

    @Test
    @Tag("L13")
    @Tag("S8")
    void paymentThatAGracefulStopInterruptsIsHeldAndNotRunAgain() {
        WorkerJvm payments = beginSlowPayment();
        payments.terminate();
        payments.awaitEnd();
        assertThat(payments.said("stopped")).as("it stopped gracefully").hasSize(1);
        assertHeldAndRunOnce(payments);
    }

    /** The application without the handler sees the task first, for as long as it is alone. */
    private WorkerJvm beginSlowPayment() {
        WorkerJvm mails = start(WorkerJvm.MAILS).awaitReady();
        TaskId id = sender.enqueue("slow-payment", null);
        await().atMost(PATIENCE).until(() -> mails.leftAlone("slow-payment"));
        completes(sender.enqueue("mail", null));
        assertUndecided(id);
        WorkerJvm payments = start(WorkerJvm.PAYMENTS).awaitReady();
        await().atMost(PATIENCE).until(() -> payments.begun().size() == 1);
        return payments;
    }

    private void assertHeldAndRunOnce(WorkerJvm payments) {
        long id = payments.begun().get(0);
        start(WorkerJvm.PAYMENTS).awaitReady();
        await().atMost(PATIENCE).until(() -> harness.status(TaskId.of(id)).equals("HELD"));
        // a payment that was sent afterwards is run, so the workers have looked
        completes(sender.enqueue("payment", null));
        assertThat(starts(id)).as("runs").isEqualTo(1);
        assertThat(harness.status(TaskId.of(id))).isEqualTo("HELD");
    }

    @Test
    void inARollingDeploymentEveryPaymentRunsOnceOnInstancesThatHaveItsHandler() {
        List<WorkerJvm> old = List.of(start(WorkerJvm.MAILS), start(WorkerJvm.MAILS));
        old.forEach(WorkerJvm::awaitReady);
        List<TaskId> sent = new ArrayList<>(send(20));
        await().atMost(PATIENCE).until(() -> old.stream().allMatch(jvm -> jvm.leftAlone("payment")));
        sent.forEach(TwoApplicationsTests::assertUndecided);
        TaskId interrupted = sender.enqueue("slow-payment", null);
        WorkerJvm first = start(WorkerJvm.PAYMENTS).awaitReady();
        await().atMost(PATIENCE).until(() -> first.begun().contains(interrupted.value()));
        for (WorkerJvm replaced : old) {
            sent.addAll(send(20));
            replaced.terminate();
            replaced.awaitEnd();
            start(WorkerJvm.PAYMENTS).awaitReady();
        }
        // the new version crashes too
        first.kill();
        sent.addAll(send(20));
        sent.forEach(TwoApplicationsTests::completes);
        assertThat(sent)
                .allSatisfy(id ->
                        assertThat(starts(id.value())).as("runs of %s", id).isEqualTo(1));
        assertThat(old).allSatisfy(jvm -> assertThat(jvm.said("start")).isEmpty());
        await().atMost(PATIENCE).until(() -> harness.status(interrupted).equals("HELD"));
        assertThat(starts(interrupted.value())).isEqualTo(1);
    }

    private List<TaskId> send(int payments) {
        List<TaskId> ids = new ArrayList<>();
        for (int i = 0; i < payments; i++) {
            ids.add(sender.enqueue("payment", null));
        }
        return ids;
    }

    private static void assertUndecided(TaskId id) {
        assertThat(harness.jdbc()
                        .sql("select status || ' ' || lease_epoch || ' ' || attempts || ' ' || (max_attempts is null)"
                                + " || ' ' || (reapable is null) from konduit_task where id = :id")
                        .param("id", id.value())
                        .query(String.class)
                        .single())
                .as("no trace of a worker without the handler")
                .isEqualTo("PENDING 0 0 true true");
    }

    private static void completes(TaskId id) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
    }

    private long starts(long task) {
        return jvms.stream()
                .flatMap(jvm -> jvm.said("start"))
                .filter(line -> line.task() == task)
                .count();
    }

    private WorkerJvm start(String application) {
        WorkerJvm jvm = WorkerJvm.start(
                application,
                harness.testDatabase().jdbcUrl(),
                application + (jvms.all().size() + 1),
                4,
                DRAIN,
                3);
        return jvms.add(jvm);
    }
}
