package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.JobHandler;
import io.konduit.queue.Priority;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

class ClaimTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final TaskQueue queue = harness.queue();
    private final LeaseRepository worker = harness.newWorker();

    @Test
    @Tag("L1")
    @Tag("T2")
    void claimSetsTheLeaseByTheClockOfTheDatabase() {
        TaskId id = queue.enqueue("mail", "Ada");
        ClaimedTask claimed = harness.claimOne(worker);
        assertThat(claimed.lease()).isEqualTo(new Lease(id.value(), 1, 0));
        assertThat(claimed.attempt()).isEqualTo(1);
        assertThat(queue.find(id).orElseThrow()).satisfies(task -> {
            assertThat(task.lockedBy()).isEqualTo(worker.worker());
            assertThat(task.leaseEpoch()).isEqualTo(1);
            assertThat(task.attempts()).isEqualTo(1);
            assertThat(Duration.between(task.lockedAt(), task.lockTimeoutAt()))
                    .isBetween(
                            Duration.ofMinutes(5).minusMillis(1),
                            Duration.ofMinutes(5).plusMillis(100));
        });
        assertThat(harness.status(id)).isEqualTo("RUNNING");
    }

    @Test
    void claimsByPriorityThenDueTimeThenId() {
        Instant base = Instant.parse("2020-01-01T00:00:00Z");
        TaskId low = queue.enqueue(TaskRequest.of("a", 1).priority(Priority.LOW).runAt(base.minusSeconds(99)));
        TaskId late = queue.enqueue(TaskRequest.of("a", 2).runAt(base.plusSeconds(5)));
        TaskId early = queue.enqueue(TaskRequest.of("a", 3).runAt(base));
        TaskId twin = queue.enqueue(TaskRequest.of("a", 4).runAt(base));
        TaskId critical =
                queue.enqueue(TaskRequest.of("a", 5).priority(Priority.CRITICAL).runAt(base.plusSeconds(9)));
        TaskId high =
                queue.enqueue(TaskRequest.of("a", 6).priority(Priority.HIGH).runAt(base.plusSeconds(7)));
        List<TaskId> order = List.of(critical, high, early, twin, late, low);

        for (TaskId expected : order.subList(0, 3)) {
            assertThat(harness.claimOne(worker).id()).isEqualTo(expected.value());
        }
        assertThat(harness.claim(worker, 10).stream().map(task -> TaskId.of(task.id())))
                .containsExactlyElementsOf(order.subList(3, 6));
    }

    @Test
    void tellsHowLongEachTaskHasWaitedByTheClockOfTheDatabase() {
        Instant base = Instant.parse("2020-01-01T00:00:00.123456Z");
        queue.enqueue(TaskRequest.of("a", 1).runAt(base));
        queue.enqueue(TaskRequest.of("a", 2).runAt(base.plusSeconds(3_600)));
        queue.enqueue("a", 3);
        List<ClaimedTask> claimed = harness.claim(worker, 10);
        assertThat(claimed).hasSize(3).allSatisfy(task -> assertThat(task.waited())
                .isEqualTo(Duration.of(
                        harness.jdbc()
                                .sql(
                                        "select (extract(epoch from locked_at - run_at) * 1000000)::bigint from konduit_task"
                                                + " where id = :id")
                                .param("id", task.id())
                                .query(Long.class)
                                .single(),
                        ChronoUnit.MICROS)));
    }

    @Test
    void leavesWhatIsNotDue() {
        queue.enqueue(TaskRequest.of("a", 1).priority(Priority.CRITICAL).delay(Duration.ofMinutes(1)));
        TaskId due = queue.enqueue("a", 2);
        assertThat(harness.claim(worker, 10).stream().map(ClaimedTask::id)).containsExactly(due.value());
    }

    @Test
    void leavesOtherQueuesAndStates() {
        queue.enqueue(TaskRequest.of("a", 1).queue("other"));
        TaskId running = queue.enqueue("a", 2);
        harness.claimOne(worker);
        TaskId failed = queue.enqueue("a", 3);
        worker.fail(List.of(new Failure(harness.claimOne(worker).lease(), true, Duration.ZERO, "x")));
        TaskId held = queue.enqueue("a", 4);
        harness.claimOne(worker);
        harness.hold(held.value());
        assertThat(harness.claim(worker, 10)).isEmpty();
        assertThat(List.of(running, failed, held).stream().map(harness::status))
                .containsExactly("RUNNING", "FAILED", "HELD");
    }

    @Test
    void neverTakesMoreThanAskedFor() {
        queue.enqueueAll(IntStream.range(0, 30)
                .mapToObj(i -> TaskRequest.of("a", i).priority(Priority.ofLevel(i % 4)))
                .toList());
        assertThat(harness.claim(worker, 7)).hasSize(7);
        assertThat(harness.claim(worker, 20)).hasSize(20);
        assertThat(harness.claim(worker, 20)).hasSize(3);
    }

    @Test
    void queuesComeInTheOrderOfTheProbesAtEachPriority() {
        for (String name : List.of("a", "b")) {
            queue.enqueue(TaskRequest.of("x", 1).queue(name));
            queue.enqueue(TaskRequest.of("x", 1).queue(name).priority(Priority.HIGH));
        }
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ClaimRequest request = new ClaimRequest(
                    QueueFixture.probes("b", "a"), 1, Duration.ofMinutes(5), 3, List.of(), List.of("x"));
            ClaimedTask task = worker.claimDue(request).get(0);
            order.add(task.queue() + task.priority());
        }
        assertThat(order).containsExactly("b1", "a1", "b2", "a2");
    }

    @Test
    void pausedQueueIsLeftAloneAndTheOthersKeepTheirOrder() {
        for (String name : List.of("a", "b", "c")) {
            queue.enqueue(TaskRequest.of("x", 1).queue(name));
            queue.enqueue(TaskRequest.of("x", 1).queue(name).priority(Priority.HIGH));
        }
        harness.testDatabase()
                .execute(
                        "insert into konduit_queue (name, paused_at, paused_by) values ('b', clock_timestamp(), 'Ada')");
        ClaimRequest request = new ClaimRequest(
                QueueFixture.probes("a", "b", "c"), 1, Duration.ofMinutes(5), 3, List.of(), List.of("x"));
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ClaimedTask task = worker.claimDue(request).get(0);
            order.add(task.queue() + task.priority());
        }
        assertThat(order).containsExactly("a1", "c1", "a2", "c2");
        assertThat(worker.claimDue(request)).isEmpty();
        harness.testDatabase().execute("delete from konduit_queue");
        assertThat(worker.claimDue(request)).hasSize(1);
    }

    @Test
    @Tag("S10")
    void leavesTypesThatTheWorkerDoesNotKnow() {
        TaskId unknown = queue.enqueue("new-in-version-2", 1);
        TaskId known = queue.enqueue("mail", 2);
        assertThat(worker.claimDue(QueueFixture.request(10, List.of())).stream().map(ClaimedTask::id))
                .containsExactly(known.value());
        assertThat(queue.find(unknown).orElseThrow().attempts()).isZero();
    }

    @Test
    @Tag("L14")
    void handlerDecidesWhatTheProducerLeftOpen() {
        TaskId id = queue.enqueue("pay", 1);
        ClaimedTask claimed = worker.claimDue(QueueFixture.request(
                        1, List.of(new ClaimRequest.Declared("pay", Duration.ofSeconds(20), 9, false))))
                .get(0);
        assertThat(claimed.maxAttempts()).isEqualTo(9);
        assertThat(claimed.lockTimeout()).isEqualTo(Duration.ofSeconds(20));
        assertThat(queue.find(id).orElseThrow()).returns(9, Task::maxAttempts).returns(false, Task::reapable);
        assertThat(leaseLength(id)).isBetween(Duration.ofMillis(19_999), Duration.ofMillis(20_100));
    }

    @Test
    @Tag("L14")
    void senderDecidesOverTheHandlerOfTheWorker() {
        TaskId id = queue.enqueue(
                TaskRequest.of("pay", 1).maxAttempts(2).reapable(true).lockTimeout(Duration.ofSeconds(30)));
        ClaimedTask claimed = worker.claimDue(QueueFixture.request(
                        1, List.of(new ClaimRequest.Declared("pay", Duration.ofSeconds(20), 9, false))))
                .get(0);
        assertThat(claimed.maxAttempts()).isEqualTo(2);
        assertThat(claimed.lockTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(queue.find(id).orElseThrow()).returns(2, Task::maxAttempts).returns(true, Task::reapable);
        assertThat(leaseLength(id)).isBetween(Duration.ofMillis(29_999), Duration.ofMillis(30_100));
    }

    static class SendersHandlers {
        @JobHandler(value = "pay", maxAttempts = 4, reapable = false)
        void pay() {}
    }

    @Test
    @Tag("L14")
    void handlerInTheSendersApplicationDecidesBeforeTheOneOfTheWorker() {
        TaskId id = harness.queue(new SendersHandlers()).enqueue("pay", null);
        worker.claimDue(QueueFixture.request(1, List.of(new ClaimRequest.Declared("pay", null, 9, true))));
        assertThat(queue.find(id).orElseThrow()).returns(4, Task::maxAttempts).returns(false, Task::reapable);
    }

    @Test
    void settingsDecideWhatNobodyElseDid() {
        TaskId id = queue.enqueue("mail", 1);
        ClaimedTask claimed = worker.claimDue(QueueFixture.request(
                        1, List.of(new ClaimRequest.Declared("pay", Duration.ofSeconds(20), 9, false))))
                .get(0);
        assertThat(claimed.maxAttempts()).isEqualTo(3);
        assertThat(claimed.lockTimeout()).isEqualTo(Duration.ofMinutes(5));
        assertThat(queue.find(id).orElseThrow()).returns(true, Task::reapable);
    }

    @Test
    void whatTheFirstClaimDecidedStays() {
        TaskId id = queue.enqueue("pay", 1);
        ClaimedTask first = worker.claimDue(
                        QueueFixture.request(1, List.of(new ClaimRequest.Declared("pay", null, 9, false))))
                .get(0);
        worker.fail(List.of(new Failure(first.lease(), false, Duration.ZERO, "again")));
        worker.claimDue(QueueFixture.request(1, List.of(new ClaimRequest.Declared("pay", null, 2, true))));
        assertThat(queue.find(id).orElseThrow()).returns(9, Task::maxAttempts).returns(false, Task::reapable);
    }

    @Test
    void lowerBoundIsOnlyAHintThatSkipsOlderTasks() {
        queue.enqueue(TaskRequest.of("a", 1).runAt(Instant.parse("2020-01-01T00:00:00Z")));
        List<ClaimRequest.Probe> bounded = List.of(new ClaimRequest.Probe("default", 2, "2020-01-01T00:00:00.000001Z"));
        assertThat(worker.claimDue(new ClaimRequest(bounded, 1, Duration.ofMinutes(5), 3, List.of(), List.of("a"))))
                .isEmpty();
        assertThat(harness.claim(worker, 1)).hasSize(1);
    }

    @Test
    void startsWhereAnEarlierSearchEnded() {
        TaskId old = queue.enqueue("mail", 1);
        harness.testDatabase()
                .execute("update konduit_task set run_at = clock_timestamp() - interval '1 minute' where id = " + old);
        TaskId late = queue.enqueue("mail", 2);
        List<ClaimRequest.Probe> searched =
                List.of(new ClaimRequest.Probe("default", 2, "-infinity", Duration.ofSeconds(30)));
        assertThat(
                        worker
                                .claimDue(new ClaimRequest(
                                        searched, 10, Duration.ofMinutes(5), 3, List.of(), List.of("mail")))
                                .stream()
                                .map(ClaimedTask::id))
                .containsExactly(late.value());
        assertThat(harness.claimOne(worker).id()).isEqualTo(old.value());
    }

    @Test
    void takesNoMoreThanFitsIntoTheBudgetButAlwaysTheBest() {
        TaskId best = queue.enqueue(TaskRequest.of("mail", "x".repeat(5_000)).priority(Priority.HIGH));
        List<TaskId> others = queue.enqueueAll(IntStream.range(0, 10)
                .mapToObj(i -> TaskRequest.of("mail", "x".repeat(998)))
                .toList());

        Claim first = worker.claim(QueueFixture.request(100, List.of(), List.of("mail"), 3_000));
        assertThat(first.tasks()).extracting(ClaimedTask::id).containsExactly(best.value());
        assertThat(first.moreFound()).isTrue();
        Claim second = worker.claim(QueueFixture.request(100, List.of(), List.of("mail"), 3_100));
        assertThat(second.tasks())
                .extracting(ClaimedTask::id)
                .containsExactlyElementsOf(
                        others.subList(0, 3).stream().map(TaskId::value).toList());
        assertThat(second.tasks()).extracting(ClaimedTask::size).containsOnly(1_000L);
        Claim third = worker.claim(QueueFixture.request(5, List.of(), List.of("mail"), 10_000));
        assertThat(third.tasks()).hasSize(5);
        assertThat(third.moreFound()).isFalse();
        assertThat(
                        harness.count(
                                "select count(*) from konduit_task where status = 'PENDING' and attempts = 0 and lease_epoch = 0"))
                .as("what did not fit is as it was")
                .isEqualTo(2);
    }

    /** PostgreSQL stores it in a hundredth of its size. */
    @Test
    void whatIsStoredCompressedCountsInFull() {
        queue.enqueueAll(
                List.of(TaskRequest.of("mail", "x".repeat(100_000)), TaskRequest.of("mail", "x".repeat(100_000))));
        assertThat(worker.claim(QueueFixture.request(2, List.of(), List.of("mail"), 150_000))
                        .tasks())
                .hasSize(1);
    }

    @Test
    void checkpointsCountToo() {
        queue.enqueueAll(List.of(TaskRequest.of("mail", 1), TaskRequest.of("mail", 2)));
        harness.testDatabase().execute("update konduit_task set checkpoint = to_jsonb(repeat('x', 2000))");
        assertThat(worker.claim(QueueFixture.request(2, List.of(), List.of("mail"), 3_000))
                        .tasks())
                .hasSize(1);
    }

    @Test
    void allLeasesOfAClaimBeganWithIt() {
        queue.enqueueAll(List.of(TaskRequest.of("mail", 1), TaskRequest.of("mail", 2)));
        Claim claim = worker.claim(QueueFixture.request(2, List.of()));
        assertThat(worker.heldSince(null)).extracting(HeldLease::atMicros).containsOnly(claim.atMicros());
        assertThat(worker.heldSince(claim.atMicros())).isEmpty();
        assertThat(harness.newWorker().heldSince(null)).isEmpty();
        assertThat(worker.claim(QueueFixture.request(2, List.of()))).isEqualTo(new Claim(List.of(), false, null));
    }

    @Test
    @Tag("L1")
    @Timeout(60)
    void neverWaitsForARowThatSomebodyHasLocked() throws Exception {
        TaskId locked = queue.enqueue("a", 1);
        TaskId free = queue.enqueue("a", 2);
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select 1 from konduit_task where id = " + locked + " for update");
            assertThat(harness.claim(worker, 10).stream().map(ClaimedTask::id)).containsExactly(free.value());
            other.rollback();
        }
        assertThat(harness.claimOne(worker).id()).isEqualTo(locked.value());
    }

    @Test
    @Tag("L1")
    void claimAndCompletionOfManyAreOneStatementEach() {
        queue.enqueueAll(
                IntStream.range(0, 300).mapToObj(i -> TaskRequest.of("a", i)).toList());
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            LeaseRepository own = new LeaseRepository(counted.database(), UUID.randomUUID());
            List<ClaimedTask> claimed = new ArrayList<>();
            assertThat(counted.statementsOf(() -> claimed.addAll(harness.claim(own, 300))))
                    .hasSize(1);
            assertThat(claimed).hasSize(300);
            List<Lease> leases = claimed.stream().map(ClaimedTask::lease).toList();
            assertThat(counted.statementsOf(() -> own.complete(leases.subList(0, 100))))
                    .hasSize(1);
            assertThat(counted.statementsOf(() -> own.fail(leases.subList(100, 200).stream()
                            .map(lease -> new Failure(lease, false, Duration.ZERO, "x"))
                            .toList())))
                    .hasSize(1);
            assertThat(counted.statementsOf(() -> own.giveBack(leases.subList(200, 300), Duration.ZERO)))
                    .hasSize(1);
        }
    }

    @Test
    @Tag("L1")
    @Tag("I2")
    void eightWorkersThatClaimTenThousandTasksNeverShareOne() throws Exception {
        int total = 10_000;
        List<TaskId> ids = queue.enqueueAll(IntStream.range(0, total)
                .mapToObj(i -> TaskRequest.of("a", i).priority(Priority.ofLevel(i % 4)))
                .toList());
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Callable<List<Long>>> workers = IntStream.range(0, 8)
                    .<Callable<List<Long>>>mapToObj(i -> () -> {
                        LeaseRepository own = harness.newWorker();
                        List<Long> mine = new ArrayList<>();
                        List<ClaimedTask> claimed;
                        do {
                            claimed = harness.claim(own, 1 + 7 * i);
                            claimed.forEach(task -> mine.add(task.id()));
                            if (i % 2 == 0) {
                                assertThat(own.complete(claimed.stream()
                                                .map(ClaimedTask::lease)
                                                .toList()))
                                        .hasSameSizeAs(claimed);
                            }
                        } while (!claimed.isEmpty());
                        return mine;
                    })
                    .toList();
            List<Long> all = new ArrayList<>();
            for (Future<List<Long>> worker : threads.invokeAll(workers)) {
                all.addAll(worker.get());
            }
            // a worker may see everything locked by others and end early: the rest is still there
            harness.claim(worker, total).forEach(task -> all.add(task.id()));
            assertThat(all)
                    .doesNotHaveDuplicates()
                    .containsExactlyInAnyOrderElementsOf(
                            ids.stream().map(TaskId::value).toList());
        } finally {
            threads.shutdownNow();
        }
    }

    private Duration leaseLength(TaskId id) {
        Task task = queue.find(id).orElseThrow();
        return Duration.between(task.lockedAt(), task.lockTimeoutAt());
    }
}
