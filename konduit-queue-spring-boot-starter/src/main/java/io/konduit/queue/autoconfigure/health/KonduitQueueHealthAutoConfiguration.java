package io.konduit.queue.autoconfigure.health;

import io.konduit.queue.autoconfigure.KonduitQueueAutoConfiguration;
import io.konduit.queue.autoconfigure.KonduitQueueRecoveryAutoConfiguration;
import io.konduit.queue.failover.FailoverGuard;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.retention.HistoryPruner;
import io.konduit.queue.review.StatisticsRepository;
import io.konduit.queue.settings.InspectionSettings;
import io.konduit.queue.settings.QueueSettings;
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
            QueueSettings settings,
            FailoverGuard failover,
            DeclaredQueues declared,
            ObjectProvider<LeaderOnlyScheduler> scheduler,
            ObjectProvider<HistoryPruner> history,
            ObjectProvider<WorkerLifecycle> worker) {
        InspectionSettings inspection = settings.inspection();
        boolean runsChores = scheduler.stream().findAny().isPresent();
        CrashDetection detection = new CrashDetection(settings);
        KonduitQueueHealthIndicator indicator = new KonduitQueueHealthIndicator(
                        StatisticsRepository.onControlPath(database),
                        new KonduitQueueHealthIndicator.Settings(
                                inspection.reaperInterval(),
                                inspection.reaperGrace(),
                                settings.instance().heartbeatInterval(),
                                inspection.zombieLimit(),
                                runsChores,
                                settings.instance().runsTasks()),
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
                .crashDetection(() -> worker.stream()
                        .filter(WorkerLifecycle::isRunning)
                        .findFirst()
                        .map(its -> detection.describe(its.hasWitness()))
                        .orElse(null))
                .history(() ->
                        history.stream().findFirst().map(HistoryDetail::of).orElse(null))
                .drainedBy(() ->
                        worker.stream().findFirst().map(its -> its.drain().by()).orElse(null));
        return new UnservedQueuesDetail(indicator, declared);
    }
}
