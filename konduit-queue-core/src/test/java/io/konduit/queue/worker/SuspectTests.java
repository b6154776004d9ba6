package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.LogCapture;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A task that has lost two workers runs alone in its third, whoever was there first. */
@Tag("L18")
class SuspectTests {
    private static final int SLOTS = 4;

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    QueueFixture recovery;
    final Jobs jobs = new Jobs();

    @BeforeEach
    void setUp() {
        recovery = new QueueFixture(harness.database());
    }

    @AfterEach
    void letHandlersEnd() {
        jobs.neighboursMayEnd.countDown();
        jobs.suspectMayEnd.countDown();
    }

    static class Jobs {
        final CountDownLatch neighboursMayEnd = new CountDownLatch(1);
        final CountDownLatch suspectMayEnd = new CountDownLatch(1);
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger neighboursStarted = new AtomicInteger();
        final AtomicInteger suspectsStarted = new AtomicInteger();
        final Queue<String> company = new ConcurrentLinkedQueue<>();
        volatile boolean suspectInside;

        @JobHandler("neighbour")
        void work() throws InterruptedException {
            inside.incrementAndGet();
            neighboursStarted.incrementAndGet();
            if (suspectInside) {
                company.add("a neighbour came in while the suspect was running");
            }
            neighboursMayEnd.await(60, TimeUnit.SECONDS);
            inside.decrementAndGet();
        }

        @JobHandler("suspect")
        void crash(TaskContext task) throws InterruptedException {
            suspectInside = true;
            if (inside.get() > 0) {
                company.add("the suspect came in while neighbours were running");
            }
            suspectsStarted.incrementAndGet();
            suspectMayEnd.await(60, TimeUnit.SECONDS);
            suspectInside = false;
        }
    }

    @Test
    void suspectWaitsUntilItsNeighboursHaveEnded() {
        harness.startWorker(With.concurrency(SLOTS), jobs);
        TaskId suspect = suspect(2);
        List<TaskId> neighbours = enqueueNeighbours(3);
        await().until(() -> jobs.neighboursStarted.get() == 3);

        recovery.makeDue(suspect);

        await().until(() -> atTheGate() == 1);
        assertThat(jobs.suspectsStarted).hasValue(0);
        jobs.neighboursMayEnd.countDown();
        await().until(() -> jobs.suspectsStarted.get() == 1);
        jobs.suspectMayEnd.countDown();
        neighbours.forEach(this::awaitCompleted);
        awaitCompleted(suspect);
        assertThat(jobs.company).isEmpty();
    }

    @Test
    void neighboursThatCameWithTheSuspectAreGivenBackBeforeItStarts() {
        TaskId suspect = suspect(2);
        recovery.makeDue(suspect);
        TaskId otherSuspect = suspect(3);
        recovery.makeDue(otherSuspect);
        List<TaskId> neighbours = enqueueNeighbours(2);
        jobs.neighboursMayEnd.countDown();

        // one claim brings them all
        harness.startWorker(With.concurrency(SLOTS), jobs);

        await().until(() -> jobs.suspectsStarted.get() == 1);
        assertThat(recovery.count("select count(*) from konduit_task where status = 'RUNNING'"))
                .as("a crash now would charge nobody else")
                .isEqualTo(1);
        assertThat(jobs.company).isEmpty();
        jobs.suspectMayEnd.countDown();
        neighbours.forEach(this::awaitCompleted);
        awaitCompleted(suspect);
        awaitCompleted(otherSuspect);
        assertThat(jobs.company).isEmpty();
        assertThat(recovery.count("select count(*) from konduit_task_history where attempts >= max_attempts"))
                .as("no attempt was charged for it")
                .isZero();
    }

    @Test
    void taskThatHasLostOnlyOneWorkerRunsAmongOthers() {
        harness.startWorker(With.concurrency(SLOTS), jobs);
        TaskId once = suspect(1);
        enqueueNeighbours(3);
        await().until(() -> jobs.neighboursStarted.get() == 3);

        recovery.makeDue(once);

        await().until(() -> jobs.suspectsStarted.get() == 1);
        assertThat(jobs.inside).hasValue(3);
    }

    /** One run that does not end soon, and many suspects: 0 of 900 ordinary tasks got through in 90 s once. */
    @Test
    @Timeout(60)
    void ordinaryTasksFlowWhileSuspectsWaitBehindALongRun() {
        AtomicInteger ordinary = new AtomicInteger();
        Object ordinaryJobs = new Object() {
            @JobHandler("ordinary")
            void work() {
                ordinary.incrementAndGet();
            }
        };
        harness.startWorker(With.concurrency(SLOTS), jobs, ordinaryJobs);
        enqueueNeighbours(1);
        await().until(() -> jobs.neighboursStarted.get() == 1);
        List<TaskId> suspects = IntStream.range(0, 40).mapToObj(i -> suspect(2)).toList();
        suspects.forEach(recovery::makeDue);
        List<TaskRequest> requests = IntStream.range(0, 300)
                .mapToObj(i -> TaskRequest.of("ordinary", i))
                .toList();

        harness.queue().enqueueAll(requests);

        await().atMost(Duration.ofSeconds(25)).until(() -> ordinary.get() == 300);
        assertThat(jobs.suspectsStarted).as("they run alone or not at all").hasValue(0);
        assertThat(harness.jdbc()
                        .sql("select max(attempts) from konduit_task where type = 'suspect'")
                        .query(Integer.class)
                        .single())
                .as("they come back after a while, not at once")
                .isLessThan(20);
    }

    @Test
    @Timeout(60)
    void workerIsNotClosedBehindARunThatDoesNotEndSoon() {
        harness.startWorker(With.concurrency(SLOTS), jobs);
        enqueueNeighbours(1);
        await().until(() -> jobs.neighboursStarted.get() == 1);
        await().until(() -> recovery.count("select count(*) from konduit_task"
                        + " where status = 'RUNNING' and locked_at < clock_timestamp() - interval '2500 ms'")
                == 1);
        TaskId suspect = suspect(2);
        try (LogCapture log = LogCapture.open()) {
            recovery.makeDue(suspect);
            await().until(() -> recovery.count("select count(*) from konduit_task where type = 'suspect'"
                            + " and status = 'PENDING' and run_at > clock_timestamp() + interval '30 s'")
                    == 1);
            assertThat(log.everything())
                    .contains("has to run alone and is given back: another task has been running for a long time")
                    .doesNotContain("had to wait too long");
        }
        assertThat(jobs.suspectsStarted).hasValue(0);
    }

    /** Once the suspect of such a worker came back every minute and never ran. */
    @Test
    @Timeout(120)
    void suspectRunsInAWorkerThatAlwaysHasLongRuns() {
        Relay relay = new Relay();
        jobs.suspectMayEnd.countDown();
        harness.startWorker(With.concurrency(2), jobs, relay);
        harness.queue(relay).enqueue("long", 0);
        await().until(relay::hasLongRun);
        harness.queue(relay)
                .enqueueAll(IntStream.range(1, 100)
                        .mapToObj(i -> TaskRequest.of("long", i))
                        .toList());
        TaskId suspect = suspect(2);

        try {
            await().pollInterval(Duration.ofMillis(250))
                    .atMost(Duration.ofSeconds(100))
                    .until(() -> {
                        // it would be back after a minute
                        harness.testDatabase()
                                .execute("update konduit_task set run_at = statement_timestamp(), priority = 0"
                                        + " where type = 'suspect' and status = 'PENDING'");
                        return jobs.suspectsStarted.get() == 1;
                    });
        } finally {
            relay.ended = true;
        }
        awaitCompleted(suspect);
        assertThat(jobs.company).isEmpty();
    }

    /** Runs that end one after another, each only when the next has been running for more than 2 s; alone they take 5 s. */
    static class Relay {
        private final Map<Integer, Long> startedNanos = new ConcurrentHashMap<>();
        volatile boolean ended;

        @JobHandler("long")
        void work(int number) throws InterruptedException {
            startedNanos.put(number, System.nanoTime());
            while (!ended && !(age(number) > 5_000 || age(number) > 3_000 && youngest() > 2_200)) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
            startedNanos.remove(number);
        }

        boolean hasLongRun() {
            return youngest() > 2_200;
        }

        private long youngest() {
            return startedNanos.keySet().stream().mapToLong(this::age).min().orElse(0);
        }

        private long age(int number) {
            Long started = startedNanos.get(number);
            return started == null ? 0 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
        }
    }

    /** A task that is not due and has lost this many workers. */
    private TaskId suspect(int crashes) {
        TaskId id = recovery.queue().enqueue(TaskRequest.of("suspect", null).delay(Duration.ofDays(1)));
        harness.testDatabase()
                .execute(
                        "set session_replication_role = replica",
                        "update konduit_task set zombie_count = " + crashes + " where id = " + id);
        return id;
    }

    private List<TaskId> enqueueNeighbours(int count) {
        List<TaskRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(TaskRequest.of("neighbour", null));
        }
        return harness.queue(jobs).enqueueAll(requests);
    }

    private void awaitCompleted(TaskId id) {
        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
    }

    /** How many slots wait for their turn. */
    private static long atTheGate() {
        return Thread.getAllStackTraces().values().stream()
                .filter(stack -> Arrays.stream(stack)
                        .anyMatch(frame -> frame.getClassName().equals(IsolationGate.class.getName())))
                .count();
    }
}
