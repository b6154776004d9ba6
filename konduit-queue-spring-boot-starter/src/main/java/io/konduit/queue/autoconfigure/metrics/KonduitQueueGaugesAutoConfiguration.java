package io.konduit.queue.autoconfigure.metrics;

import io.konduit.queue.LeadershipLost;
import io.konduit.queue.autoconfigure.KonduitQueueProperties;
import io.konduit.queue.autoconfigure.KonduitQueueRecoveryAutoConfiguration;
import io.konduit.queue.autoconfigure.OnChores;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.leader.LeadershipState;
import io.konduit.queue.leader.PeriodicChore;
import io.konduit.queue.metrics.QueueGauges;
import io.konduit.queue.store.QueueDatabase;
import io.konduit.queue.store.StatisticsRepository;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.event.EventListener;

/** The gauges over the state of the queue, read on the instance that leads. */
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
            KonduitQueueProperties properties,
            ObjectProvider<LeaderOnlyScheduler> scheduler) {
        return new QueueGauges(
                registry,
                StatisticsRepository.onControlPath(database),
                new QueueGauges.Limits(
                        properties.zombie().warnAbove(), properties.worker().staleThreshold()),
                () -> scheduler.stream().anyMatch(known -> known.state() == LeadershipState.LEADER),
                System::nanoTime);
    }

    @Bean
    @ConditionalOnMissingBean(name = "konduitGaugesChore")
    PeriodicChore konduitGaugesChore(QueueGauges gauges) {
        return new PeriodicChore("gauges", QueueGauges.INTERVAL, gauges::refresh, false);
    }

    @Bean
    @ConditionalOnMissingBean
    GaugesOfFormerLeader konduitGaugesOfFormerLeader(QueueGauges gauges) {
        return new GaugesOfFormerLeader(gauges);
    }

    /** An instance that does not lead any more tells no state: the new leader does. */
    record GaugesOfFormerLeader(QueueGauges gauges) {
        @EventListener
        void leadershipLost(LeadershipLost event) {
            gauges.clear();
        }
    }
}
