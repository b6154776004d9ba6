package io.konduit.queue.autoconfigure.metrics;

import io.konduit.queue.autoconfigure.KonduitQueueRecoveryAutoConfiguration;
import io.konduit.queue.autoconfigure.OnChores;
import io.konduit.queue.event.LeadershipLost;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.leader.LeadershipState;
import io.konduit.queue.leader.PeriodicChore;
import io.konduit.queue.metrics.QueueGauges;
import io.konduit.queue.retention.HistoryPruner;
import io.konduit.queue.review.StatisticsRepository;
import io.konduit.queue.settings.QueueSettings;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.event.EventListener;

/** The gauges for the state of the queue, read on the leading instance. */
@AutoConfiguration(
        before = KonduitQueueRecoveryAutoConfiguration.class,
        after = io.konduit.queue.autoconfigure.KonduitQueueWorkerAutoConfiguration.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, QueueDatabase.class})
@Conditional(OnChores.class)
public final class KonduitQueueGaugesAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    QueueGauges konduitQueueGauges(
            MeterRegistry registry,
            QueueDatabase database,
            QueueSettings settings,
            ObjectProvider<LeaderOnlyScheduler> scheduler,
            ObjectProvider<HistoryPruner> history) {
        return new QueueGauges(
                registry,
                StatisticsRepository.onControlPath(database),
                new QueueGauges.Limits(
                        settings.inspection().zombieLimit(),
                        settings.inspection().staleThreshold()),
                () -> scheduler.stream().anyMatch(known -> known.state() == LeadershipState.LEADER),
                () -> history.stream().findFirst().map(HistoryPruner::knownMode).orElse(null),
                System::nanoTime);
    }

    @Bean
    @ConditionalOnMissingBean(name = "konduitGaugesChore")
    PeriodicChore konduitGaugesChore(QueueGauges gauges) {
        return new PeriodicChore("gauges", QueueGauges.INTERVAL, gauges::refreshIfRead, false);
    }

    @Bean
    @ConditionalOnMissingBean
    GaugesOfFormerLeader konduitGaugesOfFormerLeader(QueueGauges gauges) {
        return new GaugesOfFormerLeader(gauges);
    }

    /** An instance that no longer leads reports no state: the new leader does. */
    record GaugesOfFormerLeader(QueueGauges gauges) {
        @EventListener
        void leadershipLost(LeadershipLost event) {
            gauges.clear();
        }
    }
}
