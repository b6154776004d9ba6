package io.konduit.queue.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.JobHandler;
import io.konduit.queue.LogCapture;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.SqlFile;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TestNode;
import io.konduit.queue.admin.QueueAdministration;
import io.konduit.queue.event.DatabaseWentBack;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.operations.DatabaseQueueAdministration;
import io.konduit.queue.review.InspectionRepository;
import io.konduit.queue.review.PauseRepository;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.ExtensionResult;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.test.PrimaryAndStandby;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A real primary is killed and its real standby promoted: what was lost is noticed, and nothing repeats. */
@Timeout(180)
class FailoverTests {
    private final List<TestNode> nodes = new ArrayList<>();
    private final List<TaskId> called = new CopyOnWriteArrayList<>();
    private PrimaryAndStandby servers;
    private HikariDataSource pool;
    private ControlPool control;
    private QueueDatabase database;
    private TaskQueue queue;

    @BeforeEach
    void start() {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
        servers = PrimaryAndStandby.start();
        pool = servers.newPool(12);
        new QueueSchemaMigrator(pool, null).migrate();
        jdbc().sql("create table effect (task bigint not null)").update();
        control = new ControlPool(pool, 2, Duration.ofSeconds(5));
        database = new QueueDatabase(pool, control, null);
        queue = new QueueFixture(database).queue();
    }

    @AfterEach
    void stop() {
        Awaitility.reset();
        nodes.forEach(TestNode::close);
        control.close();
        pool.close();
        servers.close();
    }

    /** Its effects are rows of the same database. */
    private final class Payments {
        @JobHandler(value = "pay", transactional = true)
        void pay(TaskContext task) {
            jdbc().sql("insert into effect values (?)").param(task.id().value()).update();
        }

        @JobHandler(value = "call", reapable = false, maxAttempts = 1)
        void call(TaskContext task) {
            called.add(task.id());
        }
    }

    @Test
    @Tag("S16")
    @Tag("X27")
    void neitherIdsNorFencingTokensRepeatAfterAFailoverThatLostCommits() {
        List<TaskId> survivors = enqueueInEveryWay();
        servers.waitUntilCaughtUp();
        servers.detachStandby();
        // all of this is acknowledged, and lost
        Set<TaskId> lost = new HashSet<>(enqueueInEveryWay());
        Set<Lease> tokensBefore = claimAll(newWorker(), survivors.size() + lost.size());

        failOver();

        List<TaskId> after = new ArrayList<>();
        while (after.size() < 2 * lost.size()) {
            after.addAll(enqueueInEveryWay());
        }
        assertThat(lost.stream().filter(id -> queue.find(id).isPresent()).count())
                .as("the failover lost commits")
                .isZero();
        assertThat(survivors).allMatch(id -> queue.find(id).isPresent());
        assertThat(after.stream().filter(lost::contains).count())
                .as("ids given out twice")
                .isZero();
        Set<Lease> tokensAfter = claimAll(newWorker(), survivors.size() + after.size());
        assertThat(tokensAfter.stream().filter(tokensBefore::contains).count())
                .as("pairs of task and token handed out twice")
                .isZero();
        long greatest = tokensBefore.stream().mapToLong(Lease::epoch).max().orElseThrow();
        assertThat(tokensAfter.stream().mapToLong(Lease::epoch).min().orElseThrow())
                .as("every token is greater than every one before")
                .isGreaterThan(greatest);
    }

    @Test
    @Tag("X27")
    void aWorkerWhoseClaimWasUndoneCannotTouchTheTask() {
        TaskId id = queue.enqueue("mail", null);
        servers.waitUntilCaughtUp();
        servers.detachStandby();
        LeaseRepository former = newWorker();
        Lease undone = claimAll(former, 1).iterator().next();
        failOver();
        LeaseRepository current = newWorker();
        Lease held = claimAll(current, 1).iterator().next();
        assertThat(held.taskId()).isEqualTo(id.value()).isEqualTo(undone.taskId());
        assertThat(former.complete(List.of(undone))).isEmpty();
        assertThat(former.extend(Map.of(undone, Duration.ofMinutes(5)))).containsValue(ExtensionResult.LOST);
        // not even with the token of the other
        assertThat(former.complete(List.of(held))).isEmpty();
        assertThat(current.complete(List.of(held))).containsExactly(held);
    }

    @Test
    @Tag("X27")
    void lostCommitsAreNoticedCountedAndPauseTheQueuesUntilAPersonResumes() {
        TestNode sender = startNode("sender");
        TestNode other = startNode("other");
        pay(sender.queue(), 100);
        List<TaskId> later = sender.queue()
                .enqueueAll(IntStream.range(0, 50)
                        .mapToObj(i -> TaskRequest.of("pay", i).delay(Duration.ofHours(1)))
                        .toList());
        await().until(() -> effects() == 100);
        servers.waitUntilCaughtUp();
        servers.detachStandby();
        long beats = fewestBeats();
        List<TaskId> lost = pay(sender.queue(), 150);
        makeDue(later);
        await().until(() -> effects() == 300 && fewestBeats() > beats + 1);

        failOver();

        await().until(() -> !losses(sender).isEmpty() && !losses(other).isEmpty());
        DatabaseWentBack known = losses(sender).get(0);
        assertThat(known.oldTimeline()).isEqualTo(1);
        assertThat(known.newTimeline()).isEqualTo(2);
        assertThat(known.lostTasks()).isEqualTo(150);
        assertThat(known.lostTaskIds()).containsExactlyElementsOf(lost.subList(0, 100));
        assertThat(known.atLeast()).isPositive();
        assertThat(losses(other).get(0).lostTasks()).isZero();
        assertThat(Stream.of(sender, other).flatMap(node -> losses(node).stream()))
                .hasSize(2)
                .flatExtracting(DatabaseWentBack::pausedQueues)
                .containsExactly("default");
        // what had been completed waits again; it runs when a person has decided, and its effects are there once
        List<TaskId> fresh = IntStream.range(0, 10)
                .mapToObj(i -> sender.queue().enqueue("pay", i))
                .toList();
        makeDue(later);
        QueueAdministration administration =
                new DatabaseQueueAdministration(new PauseRepository(database), queues -> {});
        assertThat(new InspectionRepository(database, Duration.ofMinutes(1)).paused(10))
                .singleElement()
                .satisfies(paused -> assertThat(paused.pausedBy()).isEqualTo(FailoverGuard.ACTOR + 2));
        assertThat(effects()).as("nothing runs in a paused queue").isEqualTo(100);
        administration.resume("default", "ada", null);
        await().until(() -> count("select count(*) from konduit_task") == 0);
        assertThat(effects()).isEqualTo(100 + later.size() + fresh.size());
        assertThat(count("select count(*) - count(distinct task) from effect"))
                .as("effects doubled")
                .isZero();
        assertThat(new InspectionRepository(database, Duration.ofMinutes(1)).paused(10))
                .as("paused once only")
                .isEmpty();
    }

    @Test
    @Tag("X26")
    void aSynchronousStandbyLosesNothingAndRaisesNoAlarm() {
        servers.waitForStandbyAtCommit();
        TestNode node = startNode("node");
        List<TaskId> acknowledged = new CopyOnWriteArrayList<>();
        List<Thread> senders = IntStream.range(0, 4)
                .mapToObj(i -> new Thread(() -> sendUntilInterrupted(node.queue(), acknowledged)))
                .toList();
        try (LogCapture log = LogCapture.open()) {
            senders.forEach(Thread::start);
            await().until(() -> acknowledged.size() >= 200);
            servers.failOver();
            int before = acknowledged.size();
            await().until(() -> acknowledged.size() >= before + 200);
            await().until(() -> log.messages(Level.INFO).stream()
                    .anyMatch(line -> line.contains("failed over from timeline 1 to 2")));
            assertThat(log.messages(Level.ERROR)).isEmpty();
        } finally {
            senders.forEach(Thread::interrupt);
        }
        await().until(() -> senders.stream().noneMatch(Thread::isAlive));
        pool.getHikariPoolMXBean().softEvictConnections();
        await().until(() -> count("select count(*) from konduit_task") == 0);
        assertThat(acknowledged).doesNotHaveDuplicates();
        assertThat(acknowledged.stream().filter(id -> queue.find(id).isEmpty()).count())
                .as("acknowledged and lost")
                .isZero();
        assertThat(losses(node)).isEmpty();
        assertThat(count("select count(*) - count(distinct task) from effect"))
                .as("effects doubled")
                .isZero();
    }

    /** A claim that waits for the standby is cancelled on the server, which has then committed it all the same. */
    @Test
    @Tag("X29")
    void claimsThatHangInTheWaitForAStandbyAreRunOnceAndNeitherChargedNorHeld() {
        servers.waitForStandbyAtCommit();
        TestNode node = startNode("node");
        List<TaskId> ids = node.queue()
                .enqueueAll(IntStream.range(0, 20)
                        .mapToObj(i -> TaskRequest.of("call", i).delay(Duration.ofHours(1)))
                        .toList());
        servers.freezeStandby();
        servers.onPrimary(
                "set synchronous_commit = off",
                "update konduit_task set run_at = clock_timestamp() where type = 'call'");
        await().until(() -> claimsThatWaitFor("500 ms") > 0);
        // the server has given it up, or the client has, and the server goes on
        await().until(() -> !called.isEmpty() || claimsThatWaitFor("4 s") > 0);
        servers.thawStandby();
        await().until(() -> count("select count(*) from konduit_task") == 0);
        assertThat(called).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(count("select count(*) from konduit_task_incident"))
                .as("charged to a worker that never had them")
                .isZero();
    }

    private long claimsThatWaitFor(String time) {
        return count("select count(*) from pg_stat_activity where wait_event = 'SyncRep' and starts_with(query, '"
                + SqlFile.opening("claim").replace("'", "''")
                + "') and clock_timestamp() - query_start > interval '" + time + "'");
    }

    /** The test itself does not want to hear of connections that ended with the primary. */
    private void failOver() {
        servers.failOver();
        pool.getHikariPoolMXBean().softEvictConnections();
        control.renew();
    }

    private static void sendUntilInterrupted(TaskQueue queue, List<TaskId> acknowledged) {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                acknowledged.add(queue.enqueue("pay", null));
            } catch (RuntimeException e) {
                // not acknowledged; the next one may find the new primary
            }
        }
    }

    private TestNode startNode(String name) {
        TestNode node = new TestNode(
                pool, new TestNode.Options(name, 4, Duration.ofSeconds(5), 5, true), its -> new Payments());
        nodes.add(node);
        node.start();
        return node;
    }

    private static List<DatabaseWentBack> losses(TestNode node) {
        return node.events().stream()
                .filter(DatabaseWentBack.class::isInstance)
                .map(DatabaseWentBack.class::cast)
                .toList();
    }

    private static List<TaskId> pay(TaskQueue queue, int number) {
        return IntStream.range(0, number).mapToObj(i -> queue.enqueue("pay", i)).toList();
    }

    private void makeDue(List<TaskId> ids) {
        jdbc().sql("update konduit_task set run_at = clock_timestamp() where id between :first and :last")
                .param("first", ids.get(0).value())
                .param("last", ids.get(ids.size() - 1).value())
                .update();
    }

    private long effects() {
        return count("select count(*) from effect");
    }

    private long fewestBeats() {
        return count("select min(beats) from konduit_worker");
    }

    private long count(String sql) {
        return jdbc().sql(sql).query(Long.class).single();
    }

    private JdbcClient jdbc() {
        return JdbcClient.create(pool);
    }

    private LeaseRepository newWorker() {
        return new LeaseRepository(database, UUID.randomUUID());
    }

    /** Every statement that draws an id. */
    private List<TaskId> enqueueInEveryWay() {
        List<TaskId> ids = new ArrayList<>();
        ids.add(queue.enqueue("mail", "single"));
        ids.add(queue.enqueue(withKey()));
        ids.addAll(queue.enqueueAll(requests(60, "mail")));
        ids.addAll(queue.enqueueAll(requests(60, "parcel")));
        ids.addAll(queue.enqueueAll(Stream.concat(requests(30, "parcel").stream(), Stream.of(withKey()))
                .toList()));
        ids.addAll(queue.enqueueAll(requests(2_000, "parcel")));
        return ids;
    }

    private static TaskRequest withKey() {
        return TaskRequest.of("mail", "unique").uniqueKey(UUID.randomUUID().toString());
    }

    private static List<TaskRequest> requests(int number, String everySecond) {
        return IntStream.range(0, number)
                .mapToObj(i -> TaskRequest.of(i % 2 == 0 ? "mail" : everySecond, i))
                .toList();
    }

    private static Set<Lease> claimAll(LeaseRepository worker, int expected) {
        Set<Lease> leases = new HashSet<>();
        List<ClaimedTask> claimed;
        do {
            claimed = QueueHarness.claim(worker, 1_000, List.of("mail", "parcel"));
            claimed.forEach(task -> leases.add(task.lease()));
        } while (!claimed.isEmpty());
        assertThat(leases).hasSize(expected);
        return leases;
    }
}
