package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import io.konduit.queue.DoNotRetryException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.metrics.QueueGauges;
import io.konduit.queue.test.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A secret in payload, checkpoint and exception message is seen by nobody who looks at the queue from outside. */
@Tag("O7")
class CanaryTests {
    private static final String CANARY = "canary-90210-secret";

    static class Jobs {
        final Queue<Object> events = new ConcurrentLinkedQueue<>();

        @JobHandler(value = "leaky", maxAttempts = 2)
        void leaky(Map<String, String> payload, TaskContext task) {
            task.checkpoint(Map.of("progress", CANARY));
            throw new IllegalStateException("cannot charge " + payload.get("card"), new RuntimeException(CANARY));
        }

        @JobHandler("strange")
        void strange(Map<String, String> payload) {
            throw new StrangeException(payload.get("card"));
        }

        @JobHandler("number")
        void number(int number) {}

        @JobHandler("fine")
        void fine(Map<String, String> payload, TaskContext task) {
            task.checkpoint(payload);
        }

        @EventListener
        void on(PayloadApplicationEvent<?> event) {
            events.add(event.getPayload());
        }
    }

    /** Its text is all message. */
    static class StrangeException extends DoNotRetryException {
        private static final long serialVersionUID = 1L;

        StrangeException(String message) {
            super(message);
        }

        @Override
        public String toString() {
            return getMessage();
        }
    }

    /** As a sender enqueues it that does not know the handler. */
    private static TaskId unreadable(JdbcClient jdbc) {
        return TaskId.of(
                jdbc.sql("insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                                + " values ('default', 'number', jsonb_build_object('card', :canary::text), 2, 'PENDING', clock_timestamp(), clock_timestamp())"
                                + " returning id")
                        .param("canary", CANARY)
                        .query(Long.class)
                        .single());
    }

    @Test
    void noSecretLeavesTheDatabase() {
        String logged;
        StringBuilder seen = new StringBuilder();
        try (TestDatabase database = TestDatabase.create();
                RunningApplication application = RunningApplication.start(
                        database,
                        List.of(Jobs.class),
                        "management.endpoints.web.exposure.include=*",
                        "management.endpoint.health.show-details=always",
                        "konduit.queue.endpoint.allow-writes=true",
                        "konduit.queue.retry.initial-interval=1ms",
                        "konduit.queue.reaper-interval=1h")) {
            // Boot sets logging up anew when an application starts
            Capture capture = Capture.open();
            TaskQueue queue = application.bean(TaskQueue.class);
            Map<String, String> payload = Map.of("card", CANARY);
            JdbcClient jdbc = JdbcClient.create(database.dataSource());
            List<TaskId> ids = List.of(
                    queue.enqueue("leaky", payload),
                    queue.enqueue("strange", payload),
                    unreadable(jdbc),
                    queue.enqueue("fine", payload));
            await().until(() -> jdbc.sql("select count(*) from konduit_tasks where status in ('FAILED', 'COMPLETED')")
                            .query(Long.class)
                            .single()
                    == ids.size());
            assertThat(jdbc.sql("select count(*) from konduit_task where last_error like '%' || :canary || '%'")
                            .param("canary", CANARY)
                            .query(Long.class)
                            .single())
                    .as("the canary is in the database")
                    .isEqualTo(2);
            application.bean(QueueGauges.class).refresh();

            for (TaskId id : ids) {
                seen.append(application
                        .get(RunningApplication.ENDPOINT + "/tasks/" + id)
                        .text());
                seen.append(application
                        .post(RunningApplication.ENDPOINT + "/tasks/" + id + "/retry", "{}")
                        .text());
                seen.append(application
                        .post(RunningApplication.ENDPOINT + "/tasks/" + id + "/cancel", "{}")
                        .text());
                queue.find(id).ifPresent(seen::append);
            }
            for (String list : List.of("queues", "workers", "held", "zombies", "incidents", "tasks", "orphans", "")) {
                seen.append(application
                        .get(RunningApplication.ENDPOINT + (list.isEmpty() ? "" : "/" + list))
                        .text());
            }
            for (String page : List.of("health", "metrics", "prometheus", "beans", "env", "configprops")) {
                seen.append(application.get("/actuator/" + page).text());
            }
            Jobs jobs = application.bean(Jobs.class);
            assertThat(jobs.events).isNotEmpty();
            jobs.events.forEach(seen::append);
            capture.close();
            logged = capture.text();
        }
        assertThat(logged).contains("IllegalStateException").doesNotContain(CANARY);
        assertThat(seen.toString())
                .contains("java.lang.IllegalStateException", "konduit_queue_failed_total")
                .doesNotContain(CANARY);
    }

    /** All that is logged at any level of the queue. */
    private static final class Capture extends AppenderBase<ILoggingEvent> {
        private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        private final StringBuffer text = new StringBuffer();

        static Capture open() {
            Capture capture = new Capture();
            capture.setContext(capture.root.getLoggerContext());
            capture.start();
            capture.root.addAppender(capture);
            ((Logger) LoggerFactory.getLogger("io.konduit")).setLevel(Level.TRACE);
            return capture;
        }

        @Override
        protected void append(ILoggingEvent event) {
            text.append(event.getFormattedMessage())
                    .append(event.getMDCPropertyMap())
                    .append('\n');
            if (event.getThrowableProxy() != null) {
                text.append(ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
        }

        String text() {
            return text.toString();
        }

        void close() {
            root.detachAppender(this);
            stop();
        }
    }
}
