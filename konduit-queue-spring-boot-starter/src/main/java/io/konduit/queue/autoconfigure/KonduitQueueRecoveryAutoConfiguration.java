package io.konduit.queue.autoconfigure;

import io.konduit.queue.engine.QueueChores;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.retention.HistoryPruner;
import io.konduit.queue.settings.LeaderSettings;
import io.konduit.queue.settings.RetentionSettings;
import io.konduit.queue.store.ChoreRepository;
import io.konduit.queue.worker.ChoresPresence;
import io.konduit.queue.worker.WorkerLifecycle;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** The background chores: the reaper and the others, on the leading instance, with or without a worker. */
@AutoConfiguration(after = KonduitQueueWorkerAutoConfiguration.class)
@ConditionalOnBean(QueueDatabase.class)
@Conditional(OnChores.class)
public final class KonduitQueueRecoveryAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    HistoryPruner konduitHistoryPruner(QueueEngine engine) {
        return engine.historyPruner();
    }

    @Bean
    @ConditionalOnMissingBean
    LeaderSettings konduitLeaderSettings(QueueEngine engine) {
        return engine.leaderSettings();
    }

    @Bean
    @ConditionalOnMissingBean
    RetentionSettings konduitRetentionSettings(QueueEngine engine) {
        return engine.retentionSettings();
    }

    @Bean
    @ConditionalOnMissingBean
    ChoreRepository konduitChoreRepository(QueueEngine engine) {
        return engine.chorePasses();
    }

    /** The application's own lock provider is used if there is one; ours is not a bean, so it never gets in the way. */
    @Bean
    @ConditionalOnMissingBean
    LeaderOnlyScheduler konduitLeaderOnlyScheduler(QueueEngine engine) {
        return engine.scheduler();
    }

    @Bean
    @ConditionalOnMissingBean
    QueueChores konduitQueueChores(QueueEngine engine) {
        return engine.chores();
    }

    /** A worker sends its own heartbeat. */
    @Bean
    @ConditionalOnMissingBean({ChoresPresence.class, WorkerLifecycle.class})
    ChoresPresence konduitChoresPresence(QueueEngine engine) {
        return engine.presence();
    }
}
