package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import io.konduit.queue.settings.WorkerSettings;
import io.konduit.queue.store.ClaimedTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** A worker among crashes, broken connections and long silences. */
class SteadyWorkTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static class Counter {
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger runs = new AtomicInteger();
        final AtomicInteger neighboursOfSuspects = new AtomicInteger();
        final AtomicInteger suspects = new AtomicInteger();

        @JobHandler("ordinary")
        void ordinary() {
            inside.incrementAndGet();
            Thread.yield();
            runs.incrementAndGet();
            inside.decrementAndGet();
        }

        @JobHandler("suspect")
        void suspect() {
            int others = inside.getAndIncrement();
            for (int i = 0; i < 1_000; i++) {
                Thread.onSpinWait();
                others = Math.max(others, inside.get() - 1);
            }
            neighboursOfSuspects.addAndGet(others);
            suspects.incrementAndGet();
            inside.decrementAndGet();
        }

        @JobHandler(value = "transactional", transactional = true)
        void transactional() {
            ordinary();
        }
    }

    private static long completed() {
        return harness.count("select count(*) from konduit_task_history where status = 'COMPLETED'");
    }

    @Test
    @Tag("L18")
    void suspectsRunAlone() {
        Counter counter = new Counter();
        TaskQueue queue = harness.queue();
        List<TaskId> suspects = queue.enqueueAll(IntStream.range(0, 3)
                .mapToObj(i -> TaskRequest.of("suspect", i))
                .toList());
        QueueFixture recovery = new QueueFixture(harness.database());
        for (int i = 0; i < 2; i++) {
            for (ClaimedTask claimed : harness.claim(harness.newWorker(), 3)) {
                harness.expireLease(claimed.id(), Duration.ofSeconds(1));
            }
            recovery.reclaimer().reclaimOnce();
            suspects.forEach(id -> harness.makeDue(id.value()));
        }
        List<TaskRequest> ordinary = new ArrayList<>();
        IntStream.range(0, 300).forEach(i -> ordinary.add(TaskRequest.of("ordinary", i)));
        queue.enqueueAll(ordinary);
        harness.startWorker(With.concurrency(6), counter);
        await().until(() -> completed() == 303);
        assertThat(counter.suspects).hasValue(3);
        assertThat(counter.neighboursOfSuspects).hasValue(0);
    }

    static class Once {
        final AtomicInteger runs = new AtomicInteger();
        final AtomicLong runningAtTheMiddle = new AtomicLong();

        @JobHandler(value = "once", reapable = false)
        void once() {
            if (runs.incrementAndGet() == 300) {
                runningAtTheMiddle.set(harness.count("select count(*) from konduit_task where status = 'RUNNING'"));
            }
        }
    }

    @Test
    @Tag("L13")
    void tasksThatMustNotRunTwiceAreNotClaimedAheadHoweverQuickTheyAre() {
        Once once = new Once();
        harness.queue()
                .enqueueAll(IntStream.range(0, 600)
                        .mapToObj(i -> TaskRequest.of("once", i))
                        .toList());
        harness.startWorker(With.concurrency(1), once);
        await().until(() -> completed() == 600);
        assertThat(once.runningAtTheMiddle)
                .as("the one that runs, and outcomes that are about to be written")
                .hasValueBetween(1L, 20L);
    }

    @Test
    @Tag("H7")
    void everythingIsCompletedThoughConnectionsAreKilledInMidWork() {
        int total = 2_000;
        Counter counter = new Counter();
        // a handler's own transaction that is cut off is an attempt, and the pool may hand out one dead connection
        // after another
        harness.queue()
                .enqueueAll(IntStream.range(0, total)
                        .mapToObj(i -> TaskRequest.of(i % 10 == 0 ? "transactional" : "ordinary", i)
                                .maxAttempts(100))
                        .toList());
        harness.startWorker(With.all(With.concurrency(8), With.lockTimeout(Duration.ofSeconds(3))), counter);
        int kills = 0;
        for (int mark : new int[] {100, 500, 900, 1_300, 1_700}) {
            await().ignoreExceptions().until(() -> completed() >= mark);
            harness.testDatabase().killConnections();
            kills++;
        }
        // a claim whose reply was cut off is an orphan: the reaper's part
        QueueFixture recovery = new QueueFixture(harness.database());
        await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
            recovery.reclaimer().reclaimOnce();
            return completed() == total;
        });
        assertThat(kills).isEqualTo(5);
        assertThat(counter.runs.get()).isGreaterThanOrEqualTo(total);
        assertThat(harness.count("select count(*) from konduit_task")).isZero();
    }

    @Test
    void idleWorkerMakesAtMostTwoStatementsASecond() {
        int seconds = 4;
        WorkerSettings defaults = WorkerSettings.defaults();
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            harness.startWorker(
                    counted.database(),
                    new DataSourceTransactionManager(counted.application()),
                    settings -> defaults,
                    QueueHarness.quickRetries(),
                    new Counter());
            await().until(() -> counted.journal().statements().stream().anyMatch(sql -> sql.startsWith("listen")));
            counted.journal().clear();
            // true idling is the thing observed here
            await().pollDelay(Duration.ofSeconds(seconds))
                    .atMost(Duration.ofSeconds(seconds + 30))
                    .until(() -> true);
            List<String> statements = counted.journal().statements();
            assertThat(statements).hasSizeLessThanOrEqualTo(2 * seconds);
            assertThat(statements).anyMatch(sql -> sql.contains("T2"));
            harness.stopWorkers();
        }
    }
}
