package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.konduit.queue.DoNotRetryException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.LogCapture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.RetryPolicy;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.event.TaskFailed;
import io.konduit.queue.store.LeaseRepository;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RetryTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    /** Fails as it is told, then succeeds. */
    static class Fragile {
        final List<Integer> attempts = new CopyOnWriteArrayList<>();
        final List<Integer> allowed = new CopyOnWriteArrayList<>();
        final List<String> keys = new CopyOnWriteArrayList<>();
        final List<Long> tokens = new CopyOnWriteArrayList<>();
        final AtomicReference<Throwable> error = new AtomicReference<>();
        volatile int failures;

        @JobHandler("fragile")
        void run(TaskContext task) throws Throwable {
            attempts.add(task.attempt());
            allowed.add(task.maxAttempts());
            keys.add(task.idempotencyKey());
            tokens.add(task.fencingToken());
            Throwable thrown = error.get();
            if (attempts.size() <= failures && thrown != null) {
                throw thrown;
            }
        }
    }

    private final Fragile fragile = new Fragile();
    private final TaskQueue queue = harness.queue(fragile);

    private void fails(int times, Throwable error) {
        fragile.failures = times;
        fragile.error.set(error);
    }

    private static void awaitStatus(TaskId id, String status) {
        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo(status));
    }

    private static String lastError(TaskId id) {
        return harness.jdbc()
                .sql("select last_error from konduit_tasks where id = :id")
                .param("id", id.value())
                .query(String.class)
                .single();
    }

    @Test
    @Tag("T5")
    void retriesUntilItSucceeds() {
        fails(2, new IllegalStateException("not yet"));
        harness.startWorker(fragile);
        TaskId id = queue.enqueue("fragile", null);
        awaitStatus(id, "COMPLETED");
        assertThat(fragile.attempts).containsExactly(1, 2, 3);
        assertThat(harness.events()).isEmpty();
    }

    @Test
    @Tag("F5")
    void everyAttemptHasTheSameIdempotencyKeyAndAGrowingFencingToken() {
        fails(2, new IllegalStateException("not yet"));
        harness.startWorker(fragile);
        TaskId first = queue.enqueue("fragile", null);
        awaitStatus(first, "COMPLETED");
        assertThat(fragile.keys).hasSize(3).containsOnly(fragile.keys.get(0));
        assertThat(fragile.tokens).containsExactly(1L, 2L, 3L);
        TaskId second = queue.enqueue("fragile", null);
        awaitStatus(second, "COMPLETED");
        assertThat(fragile.keys.get(3)).isNotEqualTo(fragile.keys.get(0));
    }

    @Test
    void waitsForTheBackoffBetweenAttempts() {
        fails(1, new IllegalStateException("not yet"));
        RetryPolicy hourly = RetryPolicy.exponential(3, Duration.ofHours(1), 1, Duration.ofHours(1), 0);
        harness.startWorker(UnaryOperator.identity(), hourly, fragile);
        TaskId id = queue.enqueue("fragile", null);
        await().until(() -> fragile.attempts.size() == 1);
        awaitStatus(id, "PENDING");
        assertThat(harness.jdbc()
                        .sql("select run_at > clock_timestamp() + interval '59 min' from konduit_task where id = :id")
                        .param("id", id.value())
                        .query(Boolean.class)
                        .single())
                .isTrue();
        harness.makeDue(id.value());
        awaitStatus(id, "COMPLETED");
        assertThat(fragile.attempts).containsExactly(1, 2);
    }

    static class Patient {
        final List<Integer> attempts = new CopyOnWriteArrayList<>();

        @JobHandler(value = "patient", backoff = "1h..3h")
        void run(TaskContext task) {
            attempts.add(task.attempt());
            throw new IllegalStateException("not yet");
        }
    }

    /** Also over that of an application's own policy, which still decides what is retried and how often. */
    @Test
    void backoffOfTheHandlerWinsOverThatOfThePolicy() {
        Patient patient = new Patient();
        RetryPolicy own = new RetryPolicy() {
            @Override
            public int maxAttempts() {
                return 3;
            }

            @Override
            public Duration backoff(int attempt) {
                return Duration.ZERO;
            }

            @Override
            public double jitter() {
                return 0;
            }
        };
        harness.startWorker(UnaryOperator.identity(), own, patient);
        TaskId id = harness.queue(patient).enqueue("patient", null);
        for (int attempt = 1; attempt <= 2; attempt++) {
            int ran = attempt;
            await().until(() -> patient.attempts.size() == ran);
            awaitStatus(id, "PENDING");
            assertThat(harness.jdbc()
                            .sql(
                                    "select extract(epoch from run_at - clock_timestamp()) / 3600 from konduit_task where id = :id")
                            .param("id", id.value())
                            .query(Double.class)
                            .single())
                    .isBetween(attempt - 0.1, attempt + 0.0);
            harness.makeDue(id.value());
        }
        awaitStatus(id, "FAILED");
        assertThat(patient.attempts).containsExactly(1, 2, 3);
    }

    /** A task that was given back nineteen times waited for its first retry as for its twentieth once. */
    @Test
    void givingBackLengthensNoBackoffAndCountsAsNoAttempt() {
        TaskId id = queue.enqueue("fragile", null);
        LeaseRepository other = harness.newWorker();
        for (int i = 0; i < 10; i++) {
            other.giveBack(List.of(harness.claimOne(other).lease()), Duration.ZERO);
        }
        List<Integer> asked = new CopyOnWriteArrayList<>();
        RetryPolicy policy = new RetryPolicy() {
            @Override
            public int maxAttempts() {
                return 3;
            }

            @Override
            public Duration backoff(int attempt) {
                asked.add(attempt);
                return Duration.ZERO;
            }
        };
        fails(3, new IllegalStateException("no"));
        harness.startWorker(UnaryOperator.identity(), policy, fragile);
        awaitStatus(id, "FAILED");
        assertThat(asked).containsExactly(1, 2, 3);
        assertThat(fragile.attempts).containsExactly(1, 2, 3);
        assertThat(fragile.allowed).containsOnly(3);
        assertFailed(id, 3, IllegalStateException.class, "no");
    }

    /** The event, and later the task, say why. */
    private void assertFailed(TaskId id, int attempt, Class<?> type, String message) {
        assertThat(harness.events()).singleElement().isInstanceOfSatisfying(TaskFailed.class, failed -> {
            assertThat(failed.id()).isEqualTo(id);
            assertThat(failed.attempt()).isEqualTo(attempt);
            assertThat(failed.error().type()).isEqualTo(type.getName());
            assertThat(failed.error().message()).isEqualTo(message);
            assertThat(failed.error().attempt()).isEqualTo(attempt);
            assertThat(queue.find(id).orElseThrow().lastError()).isEqualTo(failed.error());
        });
    }

    static class NeverAgain extends DoNotRetryException {
        private static final long serialVersionUID = 1L;

        NeverAgain() {
            super("the card was refused");
        }
    }

    @Test
    @Tag("T6")
    void failsAtOnceWhenTheHandlerAsksForNoRetry() {
        fails(1, new NeverAgain());
        harness.startWorker(fragile);
        TaskId id = queue.enqueue("fragile", null);
        awaitStatus(id, "FAILED");
        assertThat(fragile.attempts).containsExactly(1);
        assertThat(lastError(id)).contains("NeverAgain: the card was refused");
        assertFailed(id, 1, NeverAgain.class, "the card was refused");
    }

    @Test
    @Tag("T6")
    void failsWhenTheAttemptsAreUsedUp() {
        fails(99, new IllegalStateException("never"));
        harness.startWorker(fragile);
        TaskId three = queue.enqueue("fragile", null);
        awaitStatus(three, "FAILED");
        assertThat(fragile.attempts).containsExactly(1, 2, 3);
        TaskId one = queue.enqueue(TaskRequest.of("fragile", null).maxAttempts(1));
        awaitStatus(one, "FAILED");
        assertThat(fragile.attempts).containsExactly(1, 2, 3, 1);
        assertThat(harness.events())
                .extracting(event -> ((TaskFailed) event).id(), event -> ((TaskFailed) event).attempt())
                .containsExactly(tuple(three, 3), tuple(one, 1));
    }

    @Test
    void retriesWhateverTheHandlerThrew() {
        fails(1, new StackOverflowError());
        harness.startWorker(fragile);
        awaitStatus(queue.enqueue("fragile", null), "COMPLETED");
        fragile.attempts.clear();
        fails(1, new Exception("checked"));
        awaitStatus(queue.enqueue("fragile", null), "COMPLETED");
    }

    private abstract static class OddPolicy implements RetryPolicy {
        private final String name;

        OddPolicy(String name) {
            this.name = name;
        }

        @Override
        public int maxAttempts() {
            return 3;
        }

        @Override
        public Duration backoff(int attempt) {
            return Duration.ZERO;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<RetryPolicy> oddPolicies() {
        return List.of(
                new OddPolicy("throws in backoff") {
                    @Override
                    public Duration backoff(int attempt) {
                        throw new IllegalStateException("canary-4711");
                    }
                },
                new OddPolicy("throws in retries") {
                    @Override
                    public boolean retries(Throwable error) {
                        throw new IllegalStateException("canary-4711");
                    }
                },
                new OddPolicy("null") {
                    @Override
                    public Duration backoff(int attempt) {
                        return null;
                    }
                },
                new OddPolicy("negative") {
                    @Override
                    public Duration backoff(int attempt) {
                        return Duration.ofSeconds(-1);
                    }
                },
                new OddPolicy("forever") {
                    @Override
                    public Duration backoff(int attempt) {
                        return Duration.ofSeconds(Long.MAX_VALUE);
                    }
                });
    }

    /** A retry policy is a bean of the application: its errors must leave no task RUNNING and stop no worker. */
    @ParameterizedTest
    @MethodSource("oddPolicies")
    void oddRetryPolicyLeavesNoTaskBehind(RetryPolicy policy) {
        fails(1, new IllegalStateException("not yet"));
        try (LogCapture log = LogCapture.open()) {
            harness.startWorker(UnaryOperator.identity(), policy, fragile);
            TaskId id = queue.enqueue("fragile", null);
            await().until(() -> !fragile.attempts.isEmpty());
            await().until(() -> !harness.status(id).equals("RUNNING"));
            harness.makeDue(id.value());
            awaitStatus(id, "COMPLETED");
            assertThat(fragile.attempts).containsExactly(1, 2);
            assertThat(log.everything()).doesNotContain("canary-4711");
            assertThat(log.messages(Level.ERROR)).hasSize(policy.toString().equals("forever") ? 0 : 1);
        }
    }
}
