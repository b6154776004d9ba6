package io.konduit.queue.autoconfigure;

import io.konduit.queue.settings.ChoreSettings;
import io.konduit.queue.settings.ControlPoolSettings;
import io.konduit.queue.settings.EnqueueSettings;
import io.konduit.queue.settings.FailoverPolicy;
import io.konduit.queue.settings.InspectionSettings;
import io.konduit.queue.settings.InstanceSettings;
import io.konduit.queue.settings.LeaderSettings;
import io.konduit.queue.settings.PayloadSettings;
import io.konduit.queue.settings.QueueSettings;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.settings.RetentionSettings;
import io.konduit.queue.settings.RetrySettings;
import io.konduit.queue.settings.ScheduleSettings;
import io.konduit.queue.settings.SchemaSettings;
import io.konduit.queue.settings.WitnessSettings;
import io.konduit.queue.settings.WorkerSettings;
import java.time.Duration;
import java.util.List;

/** Converts the properties to the queue's settings. Only the endpoint and the error texts read properties directly. */
record PropertySettings(KonduitQueueProperties properties) implements QueueSettings {

    @Override
    public SchemaSettings schema() {
        KonduitQueueProperties.Schema schema = properties.schema();
        return new SchemaSettings(schema.initialize(), schema.name(), schema.lockPatience());
    }

    @Override
    public ControlPoolSettings controlPool() {
        return ControlPoolSettings.of(properties.controlPoolSize(), lockTimeout(), heartbeatInterval());
    }

    @Override
    public EnqueueSettings enqueue() {
        return new EnqueueSettings(properties.rejectUnknownTypes(), properties.groupEnqueues());
    }

    @Override
    public PayloadSettings payloads() {
        return new PayloadSettings(properties.maxPayload().toBytes(), properties.checkPayloads());
    }

    @Override
    public RetrySettings retry() {
        KonduitQueueProperties.Retry retry = properties.retry();
        return new RetrySettings(
                retry.maxAttempts(), retry.initialInterval(), retry.multiplier(), retry.maxInterval(), retry.jitter());
    }

    @Override
    public InstanceSettings instance() {
        return new InstanceSettings(
                properties.worker().enabled(), properties.runsChores(), queues(), heartbeatInterval());
    }

    @Override
    public WorkerSettings worker() {
        KonduitQueueProperties.Worker worker = properties.worker();
        return new WorkerSettings(
                queues(),
                worker.concurrency(),
                worker.queueConcurrency(),
                lockTimeout(),
                worker.pollInterval(),
                heartbeatInterval(),
                worker.timeout(),
                worker.warnAfter(),
                worker.drainTimeout(),
                worker.listen(),
                reclaim().isolateAfter());
    }

    @Override
    public ReclaimPolicy reclaim() {
        KonduitQueueProperties.Zombie zombie = properties.zombie();
        return new ReclaimPolicy(
                properties.reaperGrace(),
                properties.reaperBatchSize(),
                zombie.isolateAfter(),
                zombie.quarantineAfter(),
                zombie.backoff(),
                zombie.backoffCap());
    }

    @Override
    public ChoreSettings chores() {
        KonduitQueueProperties.Abandoned abandoned = properties.abandoned();
        return new ChoreSettings(
                properties.reaperInterval(),
                abandoned.threshold(),
                abandoned.interval(),
                properties.worker().staleThreshold());
    }

    /** Only where workers listen is there a session that can be a witness. */
    @Override
    public WitnessSettings witness() {
        KonduitQueueProperties.Witness witness = properties.witness();
        return WitnessSettings.of(witness.enabled() && properties.worker().listen(), witness.grace(), lockTimeout());
    }

    @Override
    public LeaderSettings leader() {
        KonduitQueueProperties.Leader leader = properties.leader();
        return new LeaderSettings(leader.lockTtl(), leader.renewInterval(), leader.acquireRetryInterval());
    }

    @Override
    public RetentionSettings retention() {
        KonduitQueueProperties.Retention retention = properties.retention();
        return new RetentionSettings(
                completedAreKept(),
                retention.failed(),
                retention.incidents(),
                retention.workers(),
                retention.firings(),
                retention.interval(),
                retention.batchSize(),
                retention.completedCount());
    }

    @Override
    public ScheduleSettings schedules() {
        KonduitQueueProperties.Schedules schedules = properties.schedules();
        return new ScheduleSettings(schedules.maxCatchUp(), schedules.undeclaredAfter());
    }

    @Override
    public FailoverPolicy failover() {
        return FailoverPolicy.of(
                properties.failover().pauseQueues(),
                completedAreKept(),
                properties.retention().completedCount());
    }

    /** Also on instances that run no chores: operators ask about what other instances do. */
    @Override
    public InspectionSettings inspection() {
        return new InspectionSettings(properties.zombie().warnAbove(), reclaim(), chores());
    }

    private List<String> queues() {
        return WorkerSettings.namedQueues(properties.worker().queues());
    }

    private Duration lockTimeout() {
        return properties.lockTimeout();
    }

    /** Not from {@link #retention}: only instances that run the chores need valid settings of retention. */
    private Duration completedAreKept() {
        return properties.retention().completed();
    }

    private Duration heartbeatInterval() {
        return properties.worker().heartbeatInterval();
    }
}
