package io.konduit.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.engine.QueueChores;
import io.konduit.queue.event.LeadershipAcquired;
import io.konduit.queue.event.LeadershipLost;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.host.HostApplication;
import io.konduit.queue.leader.Chore;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.leader.LeadershipState;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.ServerTime;
import io.konduit.queue.worker.ChoresPresence;
import io.konduit.queue.worker.KeepAlive;
import io.konduit.queue.worker.LeaseFence;
import io.konduit.queue.worker.WorkerIdentity;
import io.konduit.queue.worker.WorkerLifecycle;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

class RecoveryAutoConfigurationTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = host.plainJdbc();

    /** Remembers the events it hears, also after its context was closed. */
    @Configuration(proxyBeanMethods = false)
    static class LeadershipListener {
        static final List<Object> HEARD = new CopyOnWriteArrayList<>();

        @EventListener({LeadershipAcquired.class, LeadershipLost.class})
        void changed(Object event) {
            HEARD.add(event);
        }
    }

    static class CountingLocks implements LockProvider {
        final AtomicInteger asked = new AtomicInteger();
        final AtomicInteger released = new AtomicInteger();

        @Override
        public Optional<SimpleLock> lock(LockConfiguration configuration) {
            asked.incrementAndGet();
            return Optional.of(released::incrementAndGet);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnLocks {
        @Bean
        CountingLocks redisLocks() {
            return new CountingLocks();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MoreLocks {
        @Bean
        CountingLocks mongoLocks() {
            return new CountingLocks();
        }
    }

    @Test
    @Tag("E1")
    @Tag("E3")
    @Tag("E2")
    void leadsAsSoonAsItHasStartedAndGivesTheLockUpWhenItStops() {
        LeadershipListener.HEARD.clear();
        application.withUserConfiguration(LeadershipListener.class).run(context -> {
            LeaderOnlyScheduler scheduler = context.getBean(LeaderOnlyScheduler.class);
            await().until(() -> scheduler.state() == LeadershipState.LEADER);
            assertThat(LeadershipListener.HEARD).hasExactlyElementsOfTypes(LeadershipAcquired.class);
            assertThat(lockIsTaken()).isTrue();
        });
        assertThat(LeadershipListener.HEARD).hasExactlyElementsOfTypes(LeadershipAcquired.class, LeadershipLost.class);
        assertThat(lockIsTaken()).isFalse();
    }

    @Test
    @Tag("S12")
    void anInstanceWithoutWorkerRunsTheChoresAlone() {
        TaskId orphan = host.orphan();
        application
                .withPropertyValues("konduit.queue.worker.enabled=false", "konduit.queue.chores.enabled=true")
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .hasSingleBean(KeepAlive.class)
                            .doesNotHaveBean(WorkerLifecycle.class)
                            .doesNotHaveBean(LeaseFence.class);
                    LeaderOnlyScheduler scheduler = context.getBean(LeaderOnlyScheduler.class);
                    await().until(() -> scheduler.state() == LeadershipState.LEADER);
                    host.awaitStatus(orphan, "PENDING");

                    UUID id = context.getBean(WorkerIdentity.class).id();
                    await().untilAsserted(() -> assertThat(
                                    context.getBean(QueueInspection.class).workers())
                            .as("people see who leads")
                            .singleElement()
                            .satisfies(instance -> {
                                assertThat(instance.id()).isEqualTo(id);
                                assertThat(instance.queues()).isEmpty();
                                assertThat(instance.concurrency()).isZero();
                            }));
                    assertThat(context.getBean(QueueInspection.class).overview().activeWorkers())
                            .as("it is no worker")
                            .isZero();
                });
        assertThat(host.jdbc()
                        .sql("select count(*) from konduit_worker")
                        .query(Long.class)
                        .single())
                .as("left the registry")
                .isZero();
    }

    @Test
    @Tag("S12")
    @Tag("H10")
    void anInstanceWithoutWorkerBeatsAllTheSame() {
        application
                .withPropertyValues(
                        "konduit.queue.worker.enabled=false",
                        "konduit.queue.chores.enabled=true",
                        "konduit.queue.worker.heartbeat-interval=50ms")
                .run(context -> await().untilAsserted(() -> assertThat(host.jdbc()
                                .sql("select last_beat_at - started_at >= interval '100 ms' from konduit_worker")
                                .query(Boolean.class)
                                .list())
                        .containsExactly(true)));
    }

    @Test
    @Tag("S12")
    @Tag("H10")
    void theReaperOfAnInstanceWithoutWorkerNoticesThatItWasFrozen() {
        application
                .withPropertyValues(
                        "konduit.queue.worker.enabled=false",
                        "konduit.queue.chores.enabled=true",
                        "konduit.queue.worker.heartbeat-interval=1s")
                .run(context -> {
                    context.getBean(LeaderOnlyScheduler.class).stop();
                    context.getBean(ChoresPresence.class).stop();
                    OutageGuard guard = context.getBean(OutageGuard.class);
                    ServerTime serverTime =
                            context.getBean(ReclaimRepository.class).serverTime();
                    guard.observed(serverTime, System.nanoTime());

                    Duration frozen = Duration.ofMinutes(1);
                    guard.observed(
                            new ServerTime(serverTime.time().plus(frozen), serverTime.startedAt()),
                            System.nanoTime() + frozen.toNanos());

                    assertThat(guard.remaining())
                            .as("longer than the round of two seconds after a clock jump")
                            .isGreaterThan(Duration.ofSeconds(3));
                });
    }

    @Test
    @Tag("S12")
    void aWorkerCanLeaveTheChoresToOthers() {
        application.withPropertyValues("konduit.queue.chores.enabled=false").run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(WorkerLifecycle.class)
                .hasSingleBean(KeepAlive.class)
                .doesNotHaveBean(ChoresPresence.class)
                .doesNotHaveBean(LeaderOnlyScheduler.class));
    }

    @Test
    @Tag("S4")
    void applicationThatOnlyEnqueuesHasNeitherChoresNorKeepAliveThread() {
        application.withPropertyValues("konduit.queue.worker.enabled=false").run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(KeepAlive.class)
                .doesNotHaveBean(ChoresPresence.class)
                .doesNotHaveBean(WorkerIdentity.class)
                .doesNotHaveBean(LeaderOnlyScheduler.class));
    }

    @Test
    @Tag("E4")
    void theApplicationsLockProviderIsUsedInsteadOfOurs() {
        application.withUserConfiguration(OwnLocks.class).run(context -> {
            LeaderOnlyScheduler scheduler = context.getBean(LeaderOnlyScheduler.class);
            await().until(() -> scheduler.state() == LeadershipState.LEADER);
            CountingLocks locks = context.getBean(CountingLocks.class);
            assertThat(locks.asked).hasValue(1);
            context.close();
            assertThat(locks.released).hasValue(1);
        });
        assertThat(lockRows()).as("ours was not touched").isZero();
    }

    @Test
    @Tag("E4")
    void oursIsUsedWhenTheApplicationHasSeveral() {
        application.withUserConfiguration(OwnLocks.class, MoreLocks.class).run(context -> {
            LeaderOnlyScheduler scheduler = context.getBean(LeaderOnlyScheduler.class);
            await().until(() -> scheduler.state() == LeadershipState.LEADER);
            assertThat(lockRows()).isEqualTo(1);
            assertThat(context.getBeansOfType(CountingLocks.class).values())
                    .allSatisfy(locks -> assertThat(locks.asked).hasValue(0));
        });
    }

    @Test
    @Tag("E4")
    @Tag("S2")
    void oursIsNoBeanThatCouldGetInTheApplicationsWay() {
        application.run(context -> assertThat(context).doesNotHaveBean(LockProvider.class));
    }

    @Test
    @Tag("L4")
    void theChoresAreThereWithTheirIntervals() {
        application.run(context -> assertThat(chores(context.getBean(QueueChores.class)))
                .containsExactlyInAnyOrder(
                        "reaper every PT30S, vital",
                        "abandoned every PT6H",
                        "stale-workers every PT30S",
                        "retention-completed every PT10M",
                        "retention-failed every PT10M",
                        "retention-incidents every PT10M",
                        "retention-audit every PT10M",
                        "retention-queue-audit every PT10M",
                        "retention-workers every PT10M"));
    }

    @Test
    @Tag("L5")
    @ExtendWith(OutputCaptureExtension.class)
    void aReaperIntervalOfZeroSwitchesTheReaperOffWithAWarning(CapturedOutput output) {
        application.withPropertyValues("konduit.queue.reaper-interval=0").run(context -> {
            assertThat(chores(context.getBean(QueueChores.class))).noneMatch(chore -> chore.startsWith("reaper"));
            assertThat(output)
                    .containsPattern(
                            "WARN.*'konduit\\.queue\\.reaper-interval' is 0: the tasks of crashed workers do not"
                                    + " come back on their own");
            TaskId orphan = orphan(context.getBean(TaskQueue.class));
            LeaderOnlyScheduler scheduler = context.getBean(LeaderOnlyScheduler.class);
            await().until(() -> scheduler.state() == LeadershipState.LEADER);
            assertThat(host.status(orphan)).isEqualTo("RUNNING");
            // a person can still ask for it, once the server has been up for a while
            await().atMost(Duration.ofSeconds(30))
                    .until(() ->
                            context.getBean(OrphanReclaimer.class).reclaimOnce().reclaimed() == 1);
        });
    }

    @Test
    @Tag("C3")
    @Tag("R1")
    void zeroSwitchesTheCleanerAndRetentionOff() {
        application
                .withPropertyValues(
                        "konduit.queue.abandoned.threshold=0",
                        "konduit.queue.retention.completed=0",
                        "konduit.queue.retention.incidents=0s")
                .run(context -> assertThat(chores(context.getBean(QueueChores.class)))
                        .containsExactlyInAnyOrder(
                                "reaper every PT30S, vital",
                                "stale-workers every PT30S",
                                "retention-failed every PT10M",
                                "retention-workers every PT10M"));
    }

    @Test
    @Tag("L6")
    void orphansFromBeforeTheStartComeBackAtOnce() {
        TaskId[] orphan = new TaskId[1];
        application
                .withPropertyValues("konduit.queue.worker.enabled=false")
                .run(context -> orphan[0] = orphan(context.getBean(TaskQueue.class)));
        application
                .withPropertyValues("konduit.queue.reaper-interval=1h")
                .run(context -> host.awaitStatus(orphan[0], "PENDING"));
    }

    @Test
    @Tag("S4")
    void anApplicationThatOnlyEnqueuesRunsNoChores() {
        application.withPropertyValues("konduit.queue.worker.enabled=false").run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(LeaderOnlyScheduler.class);
            assertThat(lockRows()).isZero();
        });
    }

    @Test
    @Tag("H10")
    void theReaperAndTheHeartbeatShareOneGuard() {
        application.run(context -> {
            assertThat(context).hasSingleBean(OutageGuard.class);
            OutageGuard guard = context.getBean(OutageGuard.class);
            guard.failed();
            assertThat(context.getBean(OrphanReclaimer.class).reclaimOnce().postponed())
                    .as("the reaper heeds what the heartbeat noticed")
                    .isBetween(Duration.ofSeconds(5), Duration.ofSeconds(12));
        });
    }

    @ParameterizedTest(name = "{0}")
    @Tag("S5")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        worker.heartbeat-interval=4m | 'konduit.queue.worker.heartbeat-interval' (4m) must be at most a third of 'konduit.queue.lock-timeout' (5m).
        lock-timeout=20s | 'konduit.queue.worker.heartbeat-interval' (10s) must be at most a third of 'konduit.queue.lock-timeout' (20s).
        lock-timeout=999ms | 'konduit.queue.lock-timeout' (999ms) must be at least 1s.
        lock-timeout=-5m | 'konduit.queue.lock-timeout' (-5m) must be at least 1s.
        worker.heartbeat-interval=0 | 'konduit.queue.worker.heartbeat-interval' (0s) must be greater than zero.
        worker.heartbeat-interval=-1s | 'konduit.queue.worker.heartbeat-interval' (-1s) must be greater than zero.
        worker.stale-threshold=15s | 'konduit.queue.worker.stale-threshold' (15s) must be at least twice 'konduit.queue.worker.heartbeat-interval' (10s).
        worker.timeout=-1s | 'konduit.queue.worker.timeout' (-1s) must not be negative.
        worker.drain-timeout=-1s | 'konduit.queue.worker.drain-timeout' (-1s) must not be negative.
        worker.poll-interval=0 | 'konduit.queue.worker.poll-interval' (0s) must be greater than zero.
        leader.lock-ttl=29s | 'konduit.queue.leader.lock-ttl' (29s) must be at least three times 'konduit.queue.leader.renew-interval' (10s).
        leader.renew-interval=-10s | 'konduit.queue.leader.renew-interval' (-10s) must be greater than zero.
        leader.acquire-retry-interval=0 | 'konduit.queue.leader.acquire-retry-interval' (0s) must be greater than zero.
        zombie.quarantine-after=1 | 'konduit.queue.zombie.quarantine-after' (1) must be at least 'konduit.queue.zombie.isolate-after' (2).
        zombie.isolate-after=6 | 'konduit.queue.zombie.quarantine-after' (5) must be at least 'konduit.queue.zombie.isolate-after' (6).
        zombie.backoff=10m | 'konduit.queue.zombie.backoff-cap' (5m) must be at least 'konduit.queue.zombie.backoff' (10m), and neither negative.
        reaper-interval=-30s | 'konduit.queue.reaper-interval' (-30s) must not be negative.
        reaper-grace=-1s | 'konduit.queue.reaper-grace' (-1s) must not be negative.
        reaper-batch-size=0 | 'konduit.queue.reaper-batch-size' (0) must be at least 1.
        abandoned.threshold=-7d | 'konduit.queue.abandoned.threshold' (-7d) must not be negative.
        abandoned.interval=0 | 'konduit.queue.abandoned.interval' (0s) must be greater than zero.
        """)
    void impossibleSettingsFailAtStartWithNamesValuesAndRule(String setting, String message) {
        application.withPropertyValues("konduit.queue." + setting).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage(message));
    }

    @ParameterizedTest
    @Tag("S5")
    @CsvSource({
        "lock-timeout=30s, worker.heartbeat-interval=10s",
        "lock-timeout=1s, worker.heartbeat-interval=333ms",
        "leader.lock-ttl=30s, leader.renew-interval=10s",
        "zombie.isolate-after=3, zombie.quarantine-after=3",
        "worker.stale-threshold=20s, worker.heartbeat-interval=10s"
    })
    void settingsAtTheEdgeOfTheirRulesAreFine(String one, String other) {
        application
                .withPropertyValues("konduit.queue." + one, "konduit.queue." + other)
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** Its heartbeat says nothing about workers. */
    @Test
    @Tag("S5")
    void instanceThatOnlyEnqueuesMayHaveASlowHeartbeat() {
        application
                .withPropertyValues("konduit.queue.worker.enabled=false", "konduit.queue.worker.heartbeat-interval=1m")
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static List<String> chores(QueueChores chores) {
        return chores.chores().stream()
                .map(RecoveryAutoConfigurationTests::describe)
                .toList();
    }

    private static String describe(Chore chore) {
        return chore.name() + " every " + chore.interval() + (chore.isVital() ? ", vital" : "");
    }

    /** A task of a queue that nobody here serves, whose worker was lost. */
    private static TaskId orphan(TaskQueue queue) {
        TaskId id = queue.enqueue(TaskRequest.of("unknown", null).queue("elsewhere"));
        host.jdbc()
                .sql("update konduit_task set status = 'RUNNING', attempts = 1, lease_epoch = 1, max_attempts = 3,"
                        + " reapable = true, locked_by = gen_random_uuid(), locked_at = clock_timestamp(),"
                        + " lock_timeout_at = clock_timestamp() - interval '1 s' where id = :id")
                .param("id", id.value())
                .update();
        return id;
    }

    private static long lockRows() {
        return host.jdbc()
                .sql("select count(*) from konduit_shedlock")
                .query(Long.class)
                .single();
    }

    private static boolean lockIsTaken() {
        return host.jdbc()
                        .sql(
                                "select count(*) from konduit_shedlock where lock_until > timezone('utc', clock_timestamp())")
                        .query(Long.class)
                        .single()
                > 0;
    }
}
