package io.konduit.queue.autoconfigure.health;

import io.konduit.queue.autoconfigure.KonduitQueueAutoConfiguration;
import io.konduit.queue.autoconfigure.KonduitQueueProperties;
import io.konduit.queue.autoconfigure.KonduitQueueRecoveryAutoConfiguration;
import io.konduit.queue.failover.FailoverGuard;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.store.QueueDatabase;
import io.konduit.queue.store.StatisticsRepository;
import io.konduit.queue.worker.DeclaredQueues;
import io.konduit.queue.worker.WorkerLifecycle;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health indicator {@code konduitQueue}, when the application has Actuator's health. */
@AutoConfiguration(after = {KonduitQueueAutoConfiguration.class, KonduitQueueRecoveryAutoConfiguration.class})
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(QueueDatabase.class)
public final class KonduitQueueHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "konduitQueueHealthIndicator")
    @ConditionalOnEnabledHealthIndicator("konduitqueue")
    HealthIndicator konduitQueueHealthIndicator(
            QueueDatabase database,
            KonduitQueueProperties properties,
            FailoverGuard failover,
            DeclaredQueues declared,
            ObjectProvider<LeaderOnlyScheduler> scheduler,
            ObjectProvider<WorkerLifecycle> worker) {
        boolean runsChores = scheduler.stream().findAny().isPresent();
        KonduitQueueHealthIndicator indicator = new KonduitQueueHealthIndicator(
                        StatisticsRepository.onControlPath(database),
                        new KonduitQueueHealthIndicator.Settings(
                                properties.reaperInterval(),
                                properties.reaperGrace(),
                                properties.worker().heartbeatInterval(),
                                properties.zombie().warnAbove(),
                                runsChores,
                                properties.worker().enabled()),
                        () -> scheduler.stream()
                                .map(LeaderOnlyScheduler::state)
                                .findFirst()
                                .orElse(null),
                        () -> worker.stream()
                                .flatMap(its -> its.loops().stream())
                                .toList(),
                        failover::lastLoss,
                        System::nanoTime)
                .hanging(() -> worker.stream()
                        .flatMap(its -> its.hangingRuns().stream())
                        .toList())
                .drainedBy(() ->
                        worker.stream().findFirst().map(its -> its.drain().by()).orElse(null));
        return new UnservedQueuesDetail(indicator, declared);
    }
}
