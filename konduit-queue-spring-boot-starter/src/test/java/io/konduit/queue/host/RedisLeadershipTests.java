package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.TaskId;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.leader.LeadershipState;
import io.konduit.queue.recovery.ReclaimMonitor;
import io.konduit.queue.worker.WorkerIdentity;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import net.javacrumbs.shedlock.core.LockProvider;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** S15: two instances whose application brings a lock provider on Redis, and a Redis that goes away and comes back. */
@Tag("S15")
@Tag("L10")
@Timeout(180)
@EnabledOnOs({OS.LINUX, OS.MAC})
class RedisLeadershipTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private RedisServer redis;

    /** An instance of the application, and how often its reaper has passed. */
    private record Instance(
            LeaderOnlyScheduler scheduler, AtomicInteger passes, String id, QueueInspection inspection) {
        /** Who leads, as the overview of this instance says. */
        String leader() {
            return inspection.overview().leader();
        }

        LeadershipState state() {
            return scheduler.state();
        }
    }

    private interface Check {
        void of(List<Instance> instances);
    }

    @BeforeEach
    void startRedis() {
        redis = RedisServer.startOrSkip();
    }

    @AfterEach
    void stopRedis() {
        if (redis != null) {
            redis.close();
        }
    }

    @Test
    void everyInstanceReapsWhileRedisIsDeadAndOneLeadsWhenItIsBack() {
        withTwoInstances(instances -> {
            awaitOneLeader(instances);
            redis.kill();
            assertEveryInstanceReaps(instances);
            redis.start();
            awaitOneLeader(instances);
        });
    }

    @Test
    void everyInstanceReapsWhileRedisIsFrozenAndOneLeadsWhenItIsBack() {
        withTwoInstances(instances -> {
            awaitOneLeader(instances);
            redis.freeze();
            assertEveryInstanceReaps(instances);
            redis.thaw();
            awaitOneLeader(instances);
        });
    }

    @Test
    @Tag("E2")
    void theOtherLeadsAtOnceWhenTheLeaderStops() {
        withTwoInstances(instances -> {
            Instance leader = awaitOneLeader(instances);
            Instance other = instances.get(1 - instances.indexOf(leader));
            leader.scheduler().stop();
            patiently().until(() -> other.state() == LeadershipState.LEADER);
        });
    }

    @Test
    @Tag("E4")
    @Tag("O1")
    void theOverviewOfEveryInstanceKnowsWhoLeads() {
        withTwoInstances(instances -> {
            Instance leader = awaitOneLeader(instances);
            Instance other = instances.get(1 - instances.indexOf(leader));
            patiently()
                    .untilAsserted(() ->
                            assertThat(instances).extracting(Instance::leader).containsOnly(leader.id()));
            leader.scheduler().stop();
            patiently()
                    .untilAsserted(() ->
                            assertThat(instances).extracting(Instance::leader).containsOnly(other.id()));
            other.scheduler().stop();
            assertThat(other.leader()).as("nobody leads").isNull();
        });
    }

    @Test
    @Tag("E4")
    void aLeaderThatSaysNothingMoreIsForgottenWithItsLock() {
        withInstance(instance -> {
            patiently().untilAsserted(() -> assertThat(instance.leader()).isEqualTo(instance.id()));
            redis.kill();
            patiently().untilAsserted(() -> assertThat(instance.leader()).isNull());
        });
    }

    private void withTwoInstances(Check check) {
        withInstance(first -> withInstance(second -> check.of(List.of(first, second))));
    }

    private void withInstance(java.util.function.Consumer<Instance> check) {
        AtomicInteger passes = new AtomicInteger();
        ReclaimMonitor monitor = new ReclaimMonitor() {
            @Override
            public void passSucceeded() {
                passes.incrementAndGet();
            }
        };
        ApplicationContextRunner application = host.plainJdbc()
                .withBean("redisLocks", LockProvider.class, () -> new RedisLocks(redis.port()))
                .withBean("countingMonitor", ReclaimMonitor.class, () -> monitor)
                .withPropertyValues(
                        "konduit.queue.worker.enabled=false",
                        "konduit.queue.chores.enabled=true",
                        "konduit.queue.reaper-interval=500ms",
                        "konduit.queue.leader.lock-ttl=1500ms",
                        "konduit.queue.leader.renew-interval=400ms",
                        "konduit.queue.leader.acquire-retry-interval=200ms");
        application.run(context -> {
            assertThat(context).hasNotFailed();
            check.accept(new Instance(
                    context.getBean(LeaderOnlyScheduler.class),
                    passes,
                    context.getBean(WorkerIdentity.class).id().toString(),
                    context.getBean(QueueInspection.class)));
        });
    }

    private static Instance awaitOneLeader(List<Instance> instances) {
        patiently().untilAsserted(() -> assertThat(instances)
                .extracting(Instance::state)
                .containsExactlyInAnyOrder(LeadershipState.LEADER, LeadershipState.NOT_LEADER));
        return instances.stream()
                .filter(instance -> instance.state() == LeadershipState.LEADER)
                .findFirst()
                .orElseThrow();
    }

    private static void assertEveryInstanceReaps(List<Instance> instances) {
        patiently().untilAsserted(() -> assertThat(instances)
                .extracting(Instance::state)
                .containsOnly(LeadershipState.STORE_UNAVAILABLE));
        List<Integer> before =
                instances.stream().map(instance -> instance.passes().get()).toList();
        List<TaskId> orphans = Stream.generate(host::orphan).limit(20).toList();

        patiently().untilAsserted(() -> assertThat(orphans)
                .allSatisfy(orphan -> assertThat(host.status(orphan)).isEqualTo("PENDING")));
        patiently()
                .until(() -> instances.get(0).passes().get() > before.get(0) + 1
                        && instances.get(1).passes().get() > before.get(1) + 1);
        assertThat(host.jdbc()
                        .sql("select count(*) from konduit_task_incident where task_id = any (:ids) group by task_id")
                        .param("ids", orphans.stream().map(TaskId::value).toArray(Long[]::new))
                        .query(Long.class)
                        .list())
                .as("each was taken back once")
                .hasSize(20)
                .containsOnly(1L);
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofSeconds(30));
    }
}
