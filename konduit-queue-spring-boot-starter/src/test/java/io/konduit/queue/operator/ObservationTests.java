package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.host.AutoConfigured;
import io.konduit.queue.host.HostApplication;
import io.konduit.queue.metrics.QueueGauges;
import io.konduit.queue.metrics.QueueMetrics;
import io.konduit.queue.test.TestDatabase;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Enqueue and execution as timers and as one trace, and an application that has no Micrometer. */
@Tag("O4")
class ObservationTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    static class Jobs {
        private final ObjectProvider<Tracer> tracer;
        final Queue<String> traces = new ConcurrentLinkedQueue<>();

        Jobs(ObjectProvider<Tracer> tracer) {
            this.tracer = tracer;
        }

        @JobHandler("greet")
        void greet(String name) {
            tracer.ifAvailable(known -> {
                Span span = known.currentSpan();
                traces.add(span == null ? "none" : span.context().traceId());
            });
        }

        @JobHandler(value = "break", maxAttempts = 1)
        void fail(String secret) {
            throw new IllegalArgumentException(secret);
        }
    }

    static class PlainJobs {
        @JobHandler("greet")
        void greet(String name) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Exporting {
        @Bean
        Spans spans() {
            return new Spans();
        }
    }

    static class Spans implements SpanExporter {
        final Queue<SpanData> seen = new ConcurrentLinkedQueue<>();

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            seen.addAll(spans);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    @Test
    void enqueueAndExecutionAreOneTrace() {
        try (TestDatabase database = TestDatabase.create();
                RunningApplication application = RunningApplication.start(
                        database,
                        List.of(Jobs.class, Exporting.class),
                        "management.tracing.sampling.probability=1.0",
                        "management.endpoints.web.exposure.include=prometheus")) {
            TaskQueue queue = application.bean(TaskQueue.class);
            Tracer tracer = application.bean(Tracer.class);
            Span request = tracer.nextSpan().name("request").start();
            TaskId greeting;
            try (Tracer.SpanInScope scope = tracer.withSpan(request)) {
                greeting = queue.enqueue("greet", "Ada");
            } finally {
                request.end();
            }
            TaskId broken = queue.enqueue("break", "a secret");
            Rows rows = new Rows(database);
            await().until(() -> rows.status(greeting.value()).equals("COMPLETED")
                    && rows.status(broken.value()).equals("FAILED"));

            application.bean(SdkTracerProvider.class).forceFlush().join(10, java.util.concurrent.TimeUnit.SECONDS);
            Queue<SpanData> seen = application.bean(Spans.class).seen;
            SpanData enqueue = span(seen, "enqueue greet");
            SpanData run = span(seen, "run greet");
            assertThat(enqueue.getTraceId()).isEqualTo(request.context().traceId());
            assertThat(enqueue.getParentSpanId()).isEqualTo(request.context().spanId());
            assertThat(run.getTraceId()).isEqualTo(request.context().traceId());
            assertThat(run.getParentSpanId()).isEqualTo(enqueue.getSpanId());
            assertThat(application.bean(Jobs.class).traces)
                    .containsExactly(request.context().traceId());

            SpanData failed = span(seen, "run break");
            assertThat(failed.getTraceId())
                    .isEqualTo(span(seen, "enqueue break").getTraceId());
            assertThat(seen.toString()).contains("IllegalArgumentException").doesNotContain("a secret");

            assertThat(application.get("/actuator/prometheus").text())
                    .containsPattern(
                            "konduit_queue_execution_seconds_count\\{error=\"none\",outcome=\"success\",queue=\"default\",type=\"greet\"} 1")
                    .containsPattern(
                            "konduit_queue_execution_seconds_count\\{error=\"IllegalArgumentException\",outcome=\"error\",queue=\"default\",type=\"break\"} 1")
                    .contains("konduit_queue_pickup_delay_seconds_count{queue=\"default\"} 2")
                    .doesNotContain("a secret");
        }
    }

    @Test
    void runsTasksWithoutMicrometer() {
        host.plainJdbc()
                .withUserConfiguration(PlainJobs.class)
                .withClassLoader(new FilteredClassLoader("io.micrometer.core"))
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .doesNotHaveBean(QueueMetrics.class)
                            .doesNotHaveBean(QueueGauges.class);
                    TaskId id = context.getBean(TaskQueue.class).enqueue("greet", "Ada");
                    await().atMost(Duration.ofSeconds(10))
                            .until(() -> host.status(id).equals("COMPLETED"));
                });
    }

    @Test
    void runsTasksWithoutActuator() {
        new ApplicationContextRunner()
                .withUserConfiguration(AutoConfigured.class, PlainJobs.class)
                .withPropertyValues("spring.datasource.url=" + host.database().jdbcUrl())
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.actuate", "org.springframework.boot.health", "io.micrometer.core"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBeanDefinitionNames())
                            .contains("konduitTaskQueue")
                            .doesNotContain("konduitQueueEndpoint", "konduitQueueHealthIndicator");
                    TaskId id = context.getBean(TaskQueue.class).enqueue("greet", "Ada");
                    await().atMost(Duration.ofSeconds(10))
                            .until(() -> host.status(id).equals("COMPLETED"));
                });
    }

    private static SpanData span(Collection<SpanData> spans, String name) {
        return spans.stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("No span '" + name + "' in " + spans));
    }
}
