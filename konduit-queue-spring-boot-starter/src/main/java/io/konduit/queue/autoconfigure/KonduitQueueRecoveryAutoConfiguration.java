package io.konduit.queue.autoconfigure;

import io.konduit.queue.DurationText;
import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.leader.Chore;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.leader.LeaderSettings;
import io.konduit.queue.leader.PeriodicChore;
import io.konduit.queue.recovery.AbandonedLeaseCleaner;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.recovery.ReaperChore;
import io.konduit.queue.retention.RetentionSettings;
import io.konduit.queue.retention.RowPruner;
import io.konduit.queue.store.ChoreRepository;
import io.konduit.queue.store.LeaderLocks;
import io.konduit.queue.store.QueueDatabase;
import io.konduit.queue.store.RecordedLocks;
import io.konduit.queue.store.RetentionRepository;
import io.konduit.queue.store.RetentionRepository.Kind;
import io.konduit.queue.worker.ChoresPresence;
import io.konduit.queue.worker.WorkerIdentity;
import io.konduit.queue.worker.WorkerLifecycle;
import io.konduit.queue.worker.WorkerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.javacrumbs.shedlock.core.LockProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** The background chores: the reaper and its company, on the instance that leads, be it a worker or not. */
@AutoConfiguration(after = KonduitQueueWorkerAutoConfiguration.class)
@ConditionalOnBean(QueueDatabase.class)
@Conditional(OnChores.class)
public final class KonduitQueueRecoveryAutoConfiguration {
    private static final Logger log = LoggerFactory.getLogger(KonduitQueueRecoveryAutoConfiguration.class);

    @Bean
    @ConditionalOnMissingBean
    LeaderSettings konduitLeaderSettings(KonduitQueueProperties properties) {
        KonduitQueueProperties.Leader leader = properties.leader();
        return new LeaderSettings(leader.lockTtl(), leader.renewInterval(), leader.acquireRetryInterval());
    }

    @Bean
    @ConditionalOnMissingBean
    RetentionSettings konduitRetentionSettings(KonduitQueueProperties properties) {
        KonduitQueueProperties.Retention retention = properties.retention();
        return new RetentionSettings(
                retention.completed(),
                retention.failed(),
                retention.incidents(),
                retention.workers(),
                retention.interval(),
                retention.batchSize());
    }

    @Bean
    @ConditionalOnMissingBean
    ChoreRepository konduitChoreRepository(QueueDatabase database) {
        return new ChoreRepository(database);
    }

    /** An application's own lock provider is used when it has one; ours is no bean, so that it never gets in its way. */
    @Bean
    @ConditionalOnMissingBean
    LeaderOnlyScheduler konduitLeaderOnlyScheduler(
            QueueDatabase database,
            ObjectProvider<LockProvider> applicationLocks,
            LeaderSettings settings,
            ChoreRepository passes,
            WorkerIdentity identity,
            QueueEvents events,
            QueueChores chores,
            ObjectProvider<Chore> moreChores) {
        List<Chore> all = new ArrayList<>(chores.chores());
        moreChores.orderedStream().forEach(all::add);
        LockProvider applications = applicationLocks.getIfUnique();
        LockProvider locks = applications == null
                ? LeaderLocks.create(database, identity.id())
                : new RecordedLocks(applications, passes, identity.id());
        return new LeaderOnlyScheduler(locks, settings, passes, identity.id(), events, all, System::nanoTime);
    }

    @Bean
    @ConditionalOnMissingBean
    QueueChores konduitQueueChores(
            KonduitQueueProperties properties,
            OrphanReclaimer reclaimer,
            AbandonedLeaseCleaner cleaner,
            WorkerRegistry registry,
            QueueDatabase database,
            RetentionSettings retention) {
        List<Chore> chores = new ArrayList<>();
        requireNotNegative(properties.reaperInterval(), "konduit.queue.reaper-interval");
        if (properties.reaperInterval().isZero()) {
            log.warn(
                    "'konduit.queue.reaper-interval' is 0: the tasks of crashed workers do not come back on their own");
        } else {
            chores.add(new ReaperChore(reclaimer, properties.reaperInterval()));
        }
        Duration threshold = properties.abandoned().threshold();
        requireNotNegative(threshold, "konduit.queue.abandoned.threshold");
        requirePositive(properties.abandoned().interval(), "konduit.queue.abandoned.interval");
        if (!threshold.isZero()) {
            chores.add(new PeriodicChore("abandoned", properties.abandoned().interval(), cleaner::cleanOnce));
        }
        Duration stale = properties.worker().staleThreshold();
        requireTwoBeats(stale, properties.worker().heartbeatInterval());
        chores.add(new PeriodicChore("stale-workers", stale.dividedBy(4), () -> registry.markStaleOnce(stale), false));
        RetentionRepository rows = new RetentionRepository(database);
        for (Kind kind : Kind.values()) {
            if (!retention.keep(kind).isZero()) {
                RowPruner pruner = new RowPruner(rows, kind, retention.keep(kind), retention.batchSize());
                String name =
                        "retention-" + kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
                chores.add(new PeriodicChore(name, retention.interval(), pruner::pruneOnce));
            }
        }
        return new QueueChores(chores);
    }

    /** A worker beats by itself. */
    @Bean
    @ConditionalOnMissingBean({ChoresPresence.class, WorkerLifecycle.class})
    ChoresPresence konduitChoresPresence(WorkerRegistry registry, KonduitQueueProperties properties) {
        return new ChoresPresence(registry, properties.worker().heartbeatInterval());
    }

    /** The chores of this instance. */
    record QueueChores(List<Chore> chores) {}

    private static void requireNotNegative(Duration value, String property) {
        if (value.isNegative()) {
            throw new InvalidSettingsException(
                    "'%s' (%s) must not be negative.".formatted(property, DurationText.of(value)));
        }
    }

    /** With less, a worker that has merely not beaten yet would be called STALE. */
    private static void requireTwoBeats(Duration stale, Duration heartbeat) {
        if (stale.compareTo(heartbeat.multipliedBy(2)) < 0) {
            throw new InvalidSettingsException(
                    "'konduit.queue.worker.stale-threshold' (%s) must be at least twice 'konduit.queue.worker.heartbeat-interval' (%s)."
                            .formatted(DurationText.of(stale), DurationText.of(heartbeat)));
        }
    }

    private static void requirePositive(Duration value, String property) {
        if (value.isNegative() || value.isZero()) {
            throw new InvalidSettingsException(
                    "'%s' (%s) must be greater than zero.".formatted(property, DurationText.of(value)));
        }
    }
}
