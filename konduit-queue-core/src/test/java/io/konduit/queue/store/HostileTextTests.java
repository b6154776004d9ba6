package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.Submission;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text reaches the database as parameters only: what looks like SQL is stored as it is. */
@Tag("S9")
class HostileTextTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'; drop table konduit_task cascade; --",
                "\"; delete from konduit_task; --",
                "O'Brien",
                ":id :worker ?1 ? ?? $1 ${x} #{x} %s %n {0}",
                "\\'; select pg_sleep(10); --",
                "{\"a\",null,'b'}",
                "$$; drop table konduit_worker; $$",
                "konduit_task",
                "Ünïcödé 🚀 \u202e"
            })
    void everyStringIsStoredAsItIs(String hostile) throws Exception {
        TaskQueue queue = harness.queue();
        LeaseRepository worker = harness.newWorker();
        TaskRequest request = TaskRequest.of(hostile, hostile).queue(hostile).uniqueKey(hostile);

        TaskId id = queue.enqueue(request);
        assertThat(queue.submit(request)).isEqualTo(new Submission(id, false));
        assertThat(queue.enqueueAll(List.of(request, request))).containsOnly(id);
        Task stored = queue.find(id).orElseThrow();
        assertThat(List.of(stored.type(), stored.queue(), stored.uniqueKey())).containsOnly(hostile);

        ClaimRequest claim = new ClaimRequest(
                QueueFixture.probes(hostile),
                5,
                Duration.ofMinutes(5),
                3,
                List.of(new ClaimRequest.Declared(hostile, Duration.ofSeconds(9), 4, true)),
                List.of(hostile, hostile + "'"));
        ClaimedTask claimed = worker.claimDue(claim).get(0);
        assertThat(claimed.lockTimeout()).isEqualTo(Duration.ofSeconds(9));
        assertThat(QueueHarness.converter().read(claimed.payload(), String.class, "x"))
                .isEqualTo(hostile);
        String json = QueueHarness.converter().write(hostile, "x");
        assertThat(worker.checkpoint(claimed.lease(), Duration.ofMinutes(5), json))
                .isTrue();
        worker.fail(List.of(new Failure(claimed.lease(), true, Duration.ZERO, hostile)));
        assertThat(harness.column(id.value(), "last_error", String.class)).isEqualTo(hostile);
        assertThat(harness.tasks().cancel(id, hostile, hostile)).isTrue();
        assertThat(harness.jdbc()
                        .sql("select actor || note from konduit_task_incident")
                        .query(String.class)
                        .single())
                .isEqualTo(hostile + hostile);

        UUID other = UUID.randomUUID();
        WorkerRepository workers = new WorkerRepository(harness.database());
        workers.beat(
                new WorkerRepository.Registration(other, hostile, hostile, 1, hostile, hostile, List.of(hostile), 1));
        assertThat(harness.jdbc()
                        .sql("select name || host || version || queues[1] from konduit_worker")
                        .query(String.class)
                        .single())
                .isEqualTo(hostile.repeat(4));
        workers.remove(other);

        NotificationChannel channel = new NotificationChannel(harness.database());
        try (NotificationChannel.Subscription subscription = channel.subscribe()) {
            channel.send(List.of(hostile));
            assertThat(subscription.await(Duration.ofSeconds(10)).queues()).containsExactly(hostile);
        }
        assertThat(harness.count("select count(*) from konduit_task")).isZero();
    }
}
