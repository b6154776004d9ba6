package io.konduit.queue.autoconfigure;

import io.konduit.queue.error.ErrorMessages;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings of the queue.
 *
 * @param enabled Whether the queue is set up at all.
 * @param lockTimeout How long a lease on a task lasts. A living worker extends it; a crashed worker's task comes back when it has ended.
 * @param reaperInterval How often the leader looks for tasks whose lease has ended. 0 switches it off.
 * @param reaperGrace How long after the end of its lease a task is left alone.
 * @param reaperBatchSize How many tasks are taken back in one transaction.
 * @param rejectUnknownTypes Whether enqueueing a type that no handler of this application knows is an error.
 * @param maxPayload How large a payload may be, as JSON. Up to 10MB.
 * @param checkPayloads Whether a payload is read back when it is enqueued, if its handler is part of this application, and refused if the handler could not read it. Meant for tests and for finding mistakes; it costs a second conversion.
 * @param groupEnqueues Whether enqueues outside of transactions that are made at the same time share one statement and its commit. Over HikariCP, DBCP2 and the driver's own data source only: any other one may choose its connections by the calling thread.
 * @param controlPoolSize How many connections the queue keeps for claims, extensions and completions.
 */
@ConfigurationProperties("konduit.queue")
public record KonduitQueueProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("5m") Duration lockTimeout,
        @DefaultValue("30s") Duration reaperInterval,
        @DefaultValue("0s") Duration reaperGrace,
        @DefaultValue("500") int reaperBatchSize,
        @DefaultValue("false") boolean rejectUnknownTypes,
        @DefaultValue("256KB") DataSize maxPayload,
        @DefaultValue("false") boolean checkPayloads,
        @DefaultValue("true") boolean groupEnqueues,
        @DefaultValue("2") int controlPoolSize,
        @DefaultValue Schema schema,
        @DefaultValue Worker worker,
        @DefaultValue Chores chores,
        @DefaultValue Retry retry,
        @DefaultValue Zombie zombie,
        @DefaultValue Leader leader,
        @DefaultValue Abandoned abandoned,
        @DefaultValue Retention retention,
        @DefaultValue Endpoint endpoint,
        @DefaultValue Errors errors,
        @DefaultValue Failover failover) {

    /** Whether this instance runs the background chores. */
    public boolean runsChores() {
        return chores.enabled() != null ? chores.enabled() : worker.enabled();
    }

    /**
     * Where the tables are.
     *
     * @param initialize Whether the tables are created and updated at start.
     * @param name The schema of the tables. Without a name they are in the first schema of the search path.
     * @param lockPatience How long the start tries to update tables that somebody else uses, before it fails and says who does.
     */
    public record Schema(
            @DefaultValue("true") boolean initialize,
            @Nullable String name,
            @DefaultValue("1m") Duration lockPatience) {}

    /**
     * How this instance works.
     *
     * @param enabled Whether this instance runs tasks. An application that only enqueues sets this to false.
     * @param name The name of this instance for people. Defaults to the name of the application.
     * @param queues The queues whose tasks this instance runs, and no others. When not set: the queue default and those that its handlers declare.
     * @param concurrency How many tasks run at once, over all queues that have no number of their own.
     * @param queueConcurrency How many tasks of a queue run at once, for queues that have slots of their own.
     * @param pollInterval How long an idle worker waits at most before it looks for tasks again.
     * @param listen Whether workers hear of new tasks by LISTEN/NOTIFY. Behind a transaction pooler they never do.
     * @param heartbeatInterval How often the worker tells that it is alive. At most a third of the lock timeout.
     * @param staleThreshold A worker that has not been heard of for this long is marked STALE. Its tasks stay its own.
     * @param timeout The hard limit of one run, for handlers that set none. 0 means none.
     * @param warnAfter A run that takes longer than this is logged once. 0 means never.
     * @param drainTimeout How long handlers may go on when the application stops, before their tasks are given back.
     */
    public record Worker(
            @DefaultValue("true") boolean enabled,
            @Nullable String name,
            @Nullable List<String> queues,
            @DefaultValue("10") int concurrency,
            @DefaultValue Map<String, Integer> queueConcurrency,
            @DefaultValue("1s") Duration pollInterval,
            @DefaultValue("true") boolean listen,
            @DefaultValue("10s") Duration heartbeatInterval,
            @DefaultValue("60s") Duration staleThreshold,
            @DefaultValue("0s") Duration timeout,
            @DefaultValue("1h") Duration warnAfter,
            @DefaultValue("20s") Duration drainTimeout) {}

    /**
     * The background chores: reaper, clean-up, retention, gauges.
     *
     * @param enabled Whether this instance takes part in the background chores. Defaults to whether it runs tasks; an instance with this alone is a dedicated reaper.
     */
    public record Chores(@Nullable Boolean enabled) {}

    /**
     * When failed tasks are tried again.
     *
     * @param maxAttempts How often a task is tried in all, when neither its request nor its handler says so.
     * @param initialInterval How long to wait before the second attempt.
     * @param multiplier By how much each wait is longer than the one before.
     * @param maxInterval The longest wait between two attempts.
     * @param jitter By which part each wait is spread either way, between 0 and 1.
     */
    public record Retry(
            @DefaultValue("3") int maxAttempts,
            @DefaultValue("1s") Duration initialInterval,
            @DefaultValue("2.0") double multiplier,
            @DefaultValue("5m") Duration maxInterval,
            @DefaultValue("0.2") double jitter) {}

    /**
     * What is done about tasks that lose their workers.
     *
     * @param warnAbove A task that has lost more workers than this shows in metrics, health and the endpoint.
     * @param isolateAfter A task that has lost this many workers runs alone in its worker.
     * @param quarantineAfter A task that has lost this many workers is held for a person.
     * @param backoff How long a task waits when it comes back for the second time. The first time it comes back at once.
     * @param backoffCap The longest wait of a task that comes back. Each wait is twice as long as the one before.
     */
    public record Zombie(
            @DefaultValue("3") int warnAbove,
            @DefaultValue("2") int isolateAfter,
            @DefaultValue("5") int quarantineAfter,
            @DefaultValue("5s") Duration backoff,
            @DefaultValue("5m") Duration backoffCap) {}

    /**
     * Which instance runs the background chores.
     *
     * @param lockTtl How long the lock of a crashed leader lasts.
     * @param renewInterval How often the leader renews the lock. At most a third of the TTL.
     * @param acquireRetryInterval How often the other instances try to take the lead.
     */
    public record Leader(
            @DefaultValue("30s") Duration lockTtl,
            @DefaultValue("10s") Duration renewInterval,
            @DefaultValue("5s") Duration acquireRetryInterval) {}

    /**
     * Tasks that make no progress although their worker is alive.
     *
     * @param threshold How long after its last checkpoint, or its claim, a running task counts as abandoned. 0 means never.
     * @param interval How often the leader looks for abandoned tasks.
     */
    public record Abandoned(
            @DefaultValue("7d") Duration threshold,
            @DefaultValue("6h") Duration interval) {}

    /**
     * How long what is kept. 0 keeps for ever.
     *
     * @param completed How long completed and cancelled tasks are kept. 0 keeps them for ever.
     * @param failed How long failed tasks are kept. 0 keeps them for ever.
     * @param incidents How long the evidence of lost workers and of decisions by people is kept. 0 keeps it for ever.
     * @param workers How long workers that are gone are listed. 0 lists them for ever.
     * @param interval How often the leader removes what is old enough.
     * @param batchSize How many rows are removed in one transaction.
     */
    public record Retention(
            @DefaultValue("7d") Duration completed,
            @DefaultValue("30d") Duration failed,
            @DefaultValue("90d") Duration incidents,
            @DefaultValue("1d") Duration workers,
            @DefaultValue("10m") Duration interval,
            @DefaultValue("5000") int batchSize) {}

    /**
     * The Actuator endpoint {@code konduitqueue}.
     *
     * @param showPayloads Who sees payloads, checkpoints and messages of errors. A bean of type PayloadRedaction may leave parts of them out.
     * @param roles Roles of which a caller must have one to see payloads with "when-authorized". Without roles every authenticated caller does.
     * @param allowWrites Whether the endpoint may release, fail, retry, cancel, reclaim, clean up abandoned leases, pause and resume. Reading is always possible where the endpoint is exposed.
     */
    public record Endpoint(
            @DefaultValue("false") boolean allowWrites,
            @DefaultValue("never") ShowPayloads showPayloads,
            @DefaultValue Set<String> roles) {}

    /** Who sees payloads. */
    public enum ShowPayloads {
        /** Nobody. */
        NEVER,
        /** Authenticated callers over the web that have one of the roles. */
        WHEN_AUTHORIZED,
        /** Everybody who may call the endpoint. */
        ALWAYS
    }

    /**
     * What is kept of the errors of handlers.
     *
     * @param messages Where messages of errors go, which may quote payloads: nowhere, into the database, or into the database and the log. Classes and stacks are always kept and logged.
     */
    public record Errors(@DefaultValue("store") ErrorMessages messages) {}

    /**
     * What is done when the database has lost commits, as after a failover to a standby that was behind.
     *
     * @param pauseQueues Whether the queues that this instance serves are paused when the database has lost commits, until a person resumes them.
     */
    public record Failover(@DefaultValue("false") boolean pauseQueues) {}
}
