package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.Submission;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class UniqueKeyTests {
    private static final int THREADS = 8;

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final TaskQueue queue = harness.queue();

    private static TaskRequest keyed(String key) {
        return TaskRequest.of("order", "x").uniqueKey(key);
    }

    @Test
    void liveKeyReturnsTheExistingTaskAndSaysSo() {
        Submission first = queue.submit(keyed("order-7"));
        Submission second = queue.submit(keyed("order-7"));
        assertThat(first.created()).isTrue();
        assertThat(second).isEqualTo(new Submission(first.id(), false));
        harness.claimOne(harness.newWorker());
        assertThat(queue.submit(keyed("order-7"))).isEqualTo(new Submission(first.id(), false));
    }

    @Test
    void heldTaskKeepsItsKey() {
        TaskId held = queue.enqueue(keyed("order-7"));
        harness.claimOne(harness.newWorker());
        harness.hold(held.value());
        assertThat(queue.submit(keyed("order-7"))).isEqualTo(new Submission(held, false));
    }

    @Test
    void keyIsFreeAgainAfterCompletion() {
        TaskId first = queue.enqueue(keyed("order-7"));
        LeaseRepository worker = harness.newWorker();
        worker.complete(List.of(harness.claimOne(worker).lease()));
        assertThat(queue.submit(keyed("order-7")).created()).isTrue();
        assertThat(harness.status(first)).isEqualTo("COMPLETED");
    }

    @Test
    void keyIsFreeAgainAfterFailureForGood() {
        TaskId first = queue.enqueue(keyed("order-7"));
        LeaseRepository worker = harness.newWorker();
        worker.fail(List.of(new Failure(harness.claimOne(worker).lease(), true, Duration.ZERO, "no")));
        assertThat(queue.submit(keyed("order-7")).created()).isTrue();
        assertThat(harness.status(first)).isEqualTo("FAILED");
    }

    @Test
    void keyIsTakenWhileARetryWaits() {
        TaskId first = queue.enqueue(keyed("order-7"));
        LeaseRepository worker = harness.newWorker();
        worker.fail(List.of(new Failure(harness.claimOne(worker).lease(), false, Duration.ofHours(1), "later")));
        assertThat(queue.submit(keyed("order-7"))).isEqualTo(new Submission(first, false));
    }

    @Test
    void keyIsFreeAgainAfterCancel() {
        TaskId first = queue.enqueue(keyed("order-7"));
        queue.cancel(first);
        assertThat(queue.submit(keyed("order-7")).created()).isTrue();
    }

    @Test
    void keyIsFreeAgainAfterRollback() {
        harness.transaction().executeWithoutResult(status -> {
            queue.enqueue(keyed("order-7"));
            status.setRollbackOnly();
        });
        assertThat(queue.submit(keyed("order-7")).created()).isTrue();
    }

    @Test
    void keysOfDifferentQueuesAreDifferent() {
        assertThat(queue.submit(keyed("order-7").queue("a")).created()).isTrue();
        assertThat(queue.submit(keyed("order-7").queue("b")).created()).isTrue();
    }

    @Test
    void duplicatesInsideOneEnqueueAllShareOneTask() {
        TaskId existing = queue.enqueue(keyed("old"));
        List<TaskId> ids = queue.enqueueAll(
                List.of(keyed("a"), TaskRequest.of("order", 1), keyed("b"), keyed("a"), keyed("old"), keyed("b")));
        assertThat(ids.get(3)).isEqualTo(ids.get(0));
        assertThat(ids.get(5)).isEqualTo(ids.get(2));
        assertThat(ids.get(4)).isEqualTo(existing);
        assertThat(ids).doesNotContainNull();
        assertThat(List.of(ids.get(0), ids.get(1), ids.get(2))).doesNotHaveDuplicates();
        assertThat(rows()).isEqualTo(4);
    }

    @Test
    void eightConcurrentEnqueuesOfOneKeyCreateOneTask() throws Exception {
        for (int round = 0; round < 20; round++) {
            String key = "round " + round;
            List<Submission> submissions = together(thread -> queue.submit(keyed(key)));
            assertThat(submissions.stream().map(Submission::id).distinct()).hasSize(1);
            assertThat(submissions.stream().filter(Submission::created)).hasSize(1);
        }
        assertThat(rows()).isEqualTo(20);
    }

    @Test
    void secondEnqueueWaitsForTheFirstTransactionAndTakesOverWhenItRollsBack() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            Future<Submission> second = harness.transaction().execute(status -> {
                queue.enqueue(keyed("order-7"));
                Future<Submission> waiting = other.submit(() -> queue.submit(keyed("order-7")));
                awaitLockWaiter();
                status.setRollbackOnly();
                return waiting;
            });
            assertThat(second.get().created()).isTrue();
            assertThat(rows()).isEqualTo(1);
        } finally {
            other.shutdownNow();
        }
    }

    /** Two bulk enqueues that name the same keys in opposite order must not wait for each other forever. */
    @Test
    void concurrentEnqueueAllsInAnyOrderOfKeysDoNotDeadlock() throws Exception {
        long deadlocks = deadlocks();
        for (int round = 0; round < 10; round++) {
            String prefix = "round " + round + " ";
            List<List<TaskId>> all = together(thread -> {
                List<TaskRequest> requests = new ArrayList<>(
                        IntStream.range(0, 200).mapToObj(i -> keyed(prefix + i)).toList());
                if (thread % 2 == 0) {
                    Collections.reverse(requests);
                }
                List<TaskId> ids = new ArrayList<>(queue.enqueueAll(requests));
                if (thread % 2 == 0) {
                    Collections.reverse(ids);
                }
                return ids;
            });
            assertThat(all.stream().distinct()).hasSize(1);
        }
        assertThat(rows()).isEqualTo(2_000);
        assertThat(deadlocks()).isEqualTo(deadlocks);
    }

    private interface PerThread<T> {
        T call(int thread);
    }

    private static <T> List<T> together(PerThread<T> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            CyclicBarrier start = new CyclicBarrier(THREADS);
            List<Callable<T>> calls = IntStream.range(0, THREADS)
                    .<Callable<T>>mapToObj(thread -> () -> {
                        start.await();
                        return work.call(thread);
                    })
                    .toList();
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(calls)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private static void awaitLockWaiter() {
        org.awaitility.Awaitility.await()
                .until(() -> harness.count(
                                "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
                        > 0);
    }

    private static long deadlocks() {
        return harness.count("select deadlocks from pg_stat_database where datname = current_database()");
    }

    private static long rows() {
        return harness.count("select count(*) from konduit_task");
    }
}
