package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.failover.FailoverSettings;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** A queue that a handler declares is served, or somebody is told that it is not. */
@ExtendWith(OutputCaptureExtension.class)
class DeclaredQueuesTests {
    private static final String WARNING = "No live worker serves queue 'printing'";

    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = host.plainJdbc().withUserConfiguration(PrintJobs.class);

    @Test
    @Tag("H1")
    void aWorkerServesTheDefaultQueueAndThoseItsHandlersDeclare(CapturedOutput output) {
        application.run(context -> {
            assertThat(servedQueues()).isEqualTo("{default,archive,printing}");
            assertThat(status(context, "print", null)).isEqualTo("COMPLETED");
            assertThat(status(context, "note", null)).isEqualTo("COMPLETED");
            assertThat(health(context)).doesNotContainKey("unservedQueues");
        });
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void aSettingRestrictsAndADeclaredQueueThatNobodyServesIsTold(CapturedOutput output) {
        application
                .withPropertyValues("konduit.queue.worker.queues=default,archive")
                .run(context -> {
                    assertThat(servedQueues()).isEqualTo("{default,archive}");
                    TaskId waits = context.getBean(TaskQueue.class).enqueue("print", null);
                    assertThat(status(context, "note", null)).isEqualTo("COMPLETED");
                    assertThat(host.status(waits)).isEqualTo("PENDING");
                    assertThat(context.getBean(HealthIndicator.class).health().getStatus())
                            .isEqualTo(Status.UP);
                    assertThat(health(context)).containsEntry("unservedQueues", Map.of("printing", List.of("print")));
                });
        assertThat(output)
                .contains(WARNING + ", which the handlers of [print] declare")
                .contains("This worker serves [default, archive] only")
                .doesNotContain("queue 'archive'");
    }

    /** Such as the context of a management port. */
    @Test
    void theStartOfAChildContextWarnsNoSecondTime(CapturedOutput output) {
        application.withPropertyValues("konduit.queue.worker.queues=default").run(context -> {
            try (GenericApplicationContext child = new GenericApplicationContext(context)) {
                child.refresh();
            }
        });
        assertThat(output.toString().split(WARNING, -1))
                .as("the text around the warnings")
                .hasSize(2);
    }

    @Test
    void aQueueThatAnotherLiveWorkerServesIsNoReasonToWarn(CapturedOutput output) {
        otherWorker("0 s");
        application.withPropertyValues("konduit.queue.worker.queues=archive").run(context -> assertThat(health(context))
                .doesNotContainKey("unservedQueues"));
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void aWorkerThatHasBeenSilentForTooLongServesNothing(CapturedOutput output) {
        otherWorker("61 s");
        application.withPropertyValues("konduit.queue.worker.queues=archive").run(context -> assertThat(health(context))
                .containsKey("unservedQueues"));
        assertThat(output).contains(WARNING);
    }

    @Test
    void anInstanceWithoutAWorkerTellsInItsHealthOnly(CapturedOutput output) {
        application.withPropertyValues("konduit.queue.worker.enabled=false").run(context -> assertThat(health(context))
                .containsEntry(
                        "unservedQueues", Map.of("archive", List.of("archive.old"), "printing", List.of("print"))));
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void aDeclaredQueueMayHaveSlotsOfItsOwn() {
        application
                .withPropertyValues("konduit.queue.worker.queue-concurrency.printing=2")
                .run(context -> assertThat(status(context, "print", null)).isEqualTo("COMPLETED"));
    }

    @Test
    void afterALossTheDeclaredQueuesArePausedToo() {
        application
                .withPropertyValues("konduit.queue.failover.pause-queues=true")
                .run(context -> assertThat(context.getBean(FailoverSettings.class)
                                .queuesToPause()
                                .get())
                        .containsExactly("default", "archive", "printing"));
    }

    private static String status(ApplicationContext context, String type, String queue) {
        TaskRequest request = TaskRequest.of(type, null);
        TaskId id = context.getBean(TaskQueue.class).enqueue(queue == null ? request : request.queue(queue));
        host.awaitStatus(id, "COMPLETED");
        return host.status(id);
    }

    private static Map<String, Object> health(ApplicationContext context) {
        Health health = context.getBean(HealthIndicator.class).health();
        return health.getDetails();
    }

    private static String servedQueues() {
        return host.jdbc()
                .sql("select queues::text from konduit_worker")
                .query(String.class)
                .single();
    }

    private static void otherWorker(String silent) {
        host.jdbc()
                .sql(
                        "insert into konduit_worker (id, name, host, pid, version, queues, concurrency, status, started_at, last_beat_at)"
                                + " values (:id, 'printer', 'host-2', 42, '1.0', '{printing}', 4, 'ACTIVE', clock_timestamp() - interval '1 h',"
                                + " clock_timestamp() - :silent::interval)")
                .param("id", UUID.randomUUID())
                .param("silent", silent)
                .update();
    }

    static class PrintJobs {
        @JobHandler(value = "print", queue = "printing")
        void print() {}

        @JobHandler(value = "archive.old", queue = "archive")
        void archive() {}

        @JobHandler("note")
        void note() {}
    }
}
