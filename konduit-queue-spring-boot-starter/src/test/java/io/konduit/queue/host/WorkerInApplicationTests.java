package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.worker.WorkerLifecycle;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class WorkerInApplicationTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner producer = host.plainJdbc();
    private final ApplicationContextRunner application = producer.withUserConfiguration(ScriptedJobs.class);

    @Test
    @Tag("S4")
    void aProducerEnqueuesAndRunsNothing() {
        producer.withPropertyValues("konduit.queue.worker.enabled=false").run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(WorkerLifecycle.class);
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
            assertThat(host.status(task)).isEqualTo("PENDING");
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .as("but for the one that looks whether what was enqueued is still there")
                    .noneMatch(name -> name.startsWith("konduit-")
                            && !name.startsWith("konduit-control:")
                            && !name.equals("konduit-failover-watch"));
            assertThat(workers()).isZero();
        });
    }

    @Test
    @Tag("S4")
    void whatAProducerLeftIsRunByAWorker() {
        TaskId[] task = new TaskId[1];
        producer.withPropertyValues("konduit.queue.worker.enabled=false")
                .run(context -> task[0] = context.getBean(TaskQueue.class).enqueue("scripted", null));
        application.run(context -> {
            host.awaitStatus(task[0], "COMPLETED");
            assertThat(workers()).isEqualTo(1);
        });
        assertThat(workers()).isZero();
    }

    @Test
    @Tag("S10")
    void aTypeThatTheApplicationDoesNotKnowWaitsForOneThatDoes() {
        TaskId[] task = new TaskId[1];
        producer.run(context -> {
            TaskQueue queue = context.getBean(TaskQueue.class);
            task[0] = queue.enqueue("scripted", null);
            // its worker looks many times and touches nothing
            await().during(Duration.ofSeconds(1)).untilAsserted(() -> assertThat(host.jdbc()
                            .sql("select lease_epoch = 0 and status = 'PENDING' from konduit_task")
                            .query(Boolean.class)
                            .single())
                    .isTrue());
        });
        application.run(context -> host.awaitStatus(task[0], "COMPLETED"));
    }

    @Test
    @Tag("H9")
    void claimsExtensionsAndCompletionsGoOnWhenTheApplicationHasUsedUpItsPool() {
        application
                .withPropertyValues(
                        "spring.datasource.hikari.maximum-pool-size=2",
                        "spring.datasource.hikari.connection-timeout=250",
                        "konduit.queue.lock-timeout=1s",
                        "konduit.queue.worker.heartbeat-interval=300ms")
                .run(context -> {
                    DataSource pool = context.getBean(DataSource.class);
                    ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
                    CountDownLatch exhausted = new CountDownLatch(1);
                    CountDownLatch release = new CountDownLatch(1);
                    jobs.will(task -> {
                        if (exhausted.getCount() > 0) {
                            try (Connection first = pool.getConnection();
                                    Connection second = pool.getConnection()) {
                                exhausted.countDown();
                                release.await();
                            }
                        }
                    });
                    TaskQueue queue = context.getBean(TaskQueue.class);
                    TaskId hog = queue.enqueue("scripted", null);
                    assertThat(exhausted.await(20, TimeUnit.SECONDS)).isTrue();
                    TaskId other = insertBeside();
                    host.awaitStatus(other, "COMPLETED");
                    await().untilAsserted(() -> assertThat(host.jdbc()
                                    .sql(
                                            "select lock_timeout_at > locked_at + interval '2 s' from konduit_task where id = :id")
                                    .param("id", hog.value())
                                    .query(Boolean.class)
                                    .single())
                            .isTrue());
                    release.countDown();
                    host.awaitStatus(hog, "COMPLETED");
                    assertThat(attempts(hog)).isEqualTo(1);
                });
    }

    @Test
    @Tag("S7")
    void noConnectionListensWhenThatIsSwitchedOff() {
        application.run(context -> {
            host.awaitStatus(context.getBean(TaskQueue.class).enqueue("scripted", null), "COMPLETED");
            assertThat(host.database().listeners()).isEmpty();
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .doesNotContain("konduit-listen", "konduit-notify");
        });
    }

    @Test
    @Tag("S7")
    void oneConnectionListensOtherwise() {
        application.withPropertyValues("konduit.queue.worker.listen=true").run(context -> {
            await().untilAsserted(() -> assertThat(host.database().listeners()).hasSize(1));
        });
    }

    @Test
    @Tag("S8")
    void aHandlerThatRunsWhenTheApplicationStopsMayFinish() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch stopping = new CountDownLatch(1);
        List<TaskId> tasks = new ArrayList<>();
        application.run(context -> {
            context.getBean(ScriptedJobs.class).will(task -> {
                running.countDown();
                stopping.await();
            });
            tasks.add(context.getBean(TaskQueue.class).enqueue("scripted", null));
            assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Void> stop = CompletableFuture.runAsync(
                    () -> context.getSourceApplicationContext().close());
            WorkerLifecycle worker = context.getBean(WorkerLifecycle.class);
            await().until(() -> Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("konduit-poll-")));
            assertThat(worker.isRunning()).isTrue();
            stopping.countDown();
            stop.get(20, TimeUnit.SECONDS);
            assertThat(host.status(tasks.get(0))).isEqualTo("COMPLETED");
        });
    }

    @Test
    @Tag("S8")
    void aHandlerThatDoesNotFinishInTimeGivesItsTaskBackUncharged() {
        CountDownLatch running = new CountDownLatch(1);
        List<TaskId> tasks = new ArrayList<>();
        application
                .withPropertyValues("konduit.queue.worker.drain-timeout=50ms")
                .run(context -> {
                    context.getBean(ScriptedJobs.class).will(task -> {
                        running.countDown();
                        new CountDownLatch(1).await();
                    });
                    tasks.add(context.getBean(TaskQueue.class).enqueue("scripted", null));
                    assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();
                });
        assertThat(host.status(tasks.get(0))).isEqualTo("PENDING");
        assertThat(host.jdbc()
                        .sql("select max_attempts - attempts from konduit_task")
                        .query(Integer.class)
                        .single())
                .isEqualTo(3);
    }

    /** Enqueues beside the application, whose pool is used up. */
    private static TaskId insertBeside() {
        return TaskId.of(host.jdbc()
                .sql("insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                        + " values ('default', 'scripted', 'null', 2, 'PENDING', clock_timestamp(), clock_timestamp())"
                        + " returning id")
                .query(Long.class)
                .single());
    }

    private static int attempts(TaskId task) {
        return host.jdbc()
                .sql("select attempts from konduit_tasks where id = :id")
                .param("id", task.value())
                .query(Integer.class)
                .single();
    }

    private static long workers() {
        return host.jdbc()
                .sql("select count(*) from konduit_worker")
                .query(Long.class)
                .single();
    }
}
