package io.konduit.queue.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TestSettings;
import io.konduit.queue.With;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.worker.KnownHandlers;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

class QueueEngineTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static class Mails {
        final List<String> sent = new CopyOnWriteArrayList<>();

        @JobHandler("mail")
        void send(String to) {
            sent.add(to);
        }
    }

    @Test
    void makingThePartsSendsNoStatementAndStartsNoThread() {
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            Stream.of(counted.database().application(), counted.database().control())
                    .forEach(pool -> JdbcClient.create(pool)
                            .sql("select 1")
                            .query(Integer.class)
                            .single());
            Set<String> before = threads();

            assertThat(counted.statementsOf(() -> parts(new QueueFixture(counted.database())
                            .engine(new Mails())
                            .build())))
                    .isEmpty();

            assertThat(threads()).isEqualTo(before);
        }
    }

    @Test
    void everyPartIsMadeOnce() {
        QueueEngine engine = harness.engine(new Mails()).build();

        Map<String, Object> first = parts(engine);

        assertThat(first).hasSizeGreaterThan(25);
        parts(engine).forEach((name, part) -> assertThat(part).as(name).isSameAs(first.get(name)));
    }

    @Test
    void startsWhatTheInstanceRunsAndStopsIt() {
        Mails mails = new Mails();
        QueueEngine engine = QueueEngine.builder(
                        harness.database(),
                        TestSettings.quick().worker(With.pollInterval(Duration.ofHours(1))),
                        QueueFixture.registry(mails))
                .build();
        engine.start();
        try {
            await().until(() ->
                    engine.scheduler().isRunning() && engine.worker().isRunning());
            TaskId id = engine.taskQueue().enqueue("mail", "ada");
            await().untilAsserted(() -> harness.assertThatTask(id).isCompleted());
            assertThat(mails.sent).containsExactly("ada");
        } finally {
            engine.stop();
        }
        assertThat(engine.worker().isRunning()).isFalse();
        assertThat(engine.scheduler().isRunning()).isFalse();
    }

    @Test
    @Tag("S4")
    void everyPartThatNeedsAReplacedOneGetsTheReplacement() {
        OutageGuard guard = new OutageGuard(Duration.ofSeconds(10), System::nanoTime);
        guard.failed();
        QueueEngine engine =
                harness.engine().replace(OutageGuard.class, () -> guard).build();

        assertThat(engine.outageGuard()).isSameAs(guard);
        assertThat(engine.reclaimer().reclaimOnce().postponed()).isPositive();
    }

    @Test
    void theClockOfTheInstanceDecidesForAllItsParts() {
        AtomicLong nanos = new AtomicLong();
        QueueEngine engine = harness.engine().nanoTime(nanos::get).build();
        engine.outageGuard().failed();
        assertThat(engine.reclaimer().reclaimOnce().postponed()).isPositive();

        nanos.addAndGet(Duration.ofHours(1).toNanos());

        assertThat(engine.outageGuard().remaining()).isZero();
    }

    @Test
    void anInstanceWithoutIdentityEnqueuesAndReclaimsButHasNoLeases() {
        QueueEngine engine = harness.engine().identity(() -> null).build();

        assertThat(engine.taskQueue().enqueue("mail", "ada")).isNotNull();
        assertThat(engine.reclaimer().reclaimOnce().total()).isZero();
        assertThatIllegalStateException()
                .isThrownBy(engine::leases)
                .withMessage("Expected an identity for an instance that runs tasks or chores, but there is none.");
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("konduit-") && !name.startsWith("konduit-control"))
                .collect(Collectors.toSet());
    }

    /** All of them by name. */
    private static Map<String, Object> parts(QueueEngine engine) {
        Map<String, Object> parts = new LinkedHashMap<>();
        Arrays.stream(QueueEngine.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers())
                        && !Modifier.isStatic(method.getModifiers())
                        && method.getReturnType() != void.class
                        && method.getReturnType() != KnownHandlers.class)
                .forEach(method -> parts.put(method.getName(), part(engine, method)));
        return parts;
    }

    private static Object part(QueueEngine engine, Method accessor) {
        try {
            return accessor.invoke(engine);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(accessor.getName(), e);
        }
    }
}
