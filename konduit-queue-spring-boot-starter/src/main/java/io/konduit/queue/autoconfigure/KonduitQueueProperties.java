package io.konduit.queue.autoconfigure;

import io.konduit.queue.settings.Defaults;
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
 * @param enabled Whether to configure the queue.
 * @param lockTimeout How long a lease on a task lasts. A live worker extends it. If its worker is lost, a task is reclaimed when its lease has expired, or within seconds if the process has died.
 * @param reaperInterval How often the leader looks for tasks whose lease has expired. 0 disables the reaper.
 * @param reaperGrace How long the reaper waits after a lease has expired before it reclaims the task.
 * @param reaperBatchSize How many tasks are reclaimed in one transaction.
 * @param rejectUnknownTypes Whether to reject tasks whose type has no handler in this application.
 * @param maxPayload Maximum size of a payload as JSON. At most 10MB.
 * @param checkPayloads Whether to read each payload back when it is enqueued, and to reject it if its handler could not read it. Applies if the handler is part of this application. Meant for tests: it costs a second conversion.
 * @param groupEnqueues Whether concurrent enqueues outside transactions share one statement and its commit. Disable this if your DataSource routes by calling thread, for example per tenant. Only HikariCP, DBCP2 and the driver's own data source are grouped.
 * @param controlPoolSize Number of connections that the queue keeps for claims, extensions and completions.
 */
@ConfigurationProperties("konduit.queue")
public record KonduitQueueProperties(
        @DefaultValue(Defaults.ENABLED) boolean enabled,
        @DefaultValue(Defaults.LOCK_TIMEOUT) Duration lockTimeout,
        @DefaultValue(Defaults.REAPER_INTERVAL) Duration reaperInterval,
        @DefaultValue(Defaults.REAPER_GRACE) Duration reaperGrace,
        @DefaultValue(Defaults.REAPER_BATCH_SIZE) int reaperBatchSize,
        @DefaultValue(Defaults.REJECT_UNKNOWN_TYPES) boolean rejectUnknownTypes,
        @DefaultValue(Defaults.MAX_PAYLOAD) DataSize maxPayload,
        @DefaultValue(Defaults.CHECK_PAYLOADS) boolean checkPayloads,
        @DefaultValue(Defaults.GROUP_ENQUEUES) boolean groupEnqueues,
        @DefaultValue(Defaults.CONTROL_POOL_SIZE) int controlPoolSize,
        @DefaultValue Schema schema,
        @DefaultValue Worker worker,
        @DefaultValue Chores chores,
        @DefaultValue Retry retry,
        @DefaultValue Zombie zombie,
        @DefaultValue Witness witness,
        @DefaultValue Leader leader,
        @DefaultValue Abandoned abandoned,
        @DefaultValue Schedules schedules,
        @DefaultValue Retention retention,
        @DefaultValue Endpoint endpoint,
        @DefaultValue Dashboard dashboard,
        @DefaultValue Errors errors,
        @DefaultValue Failover failover) {

    /** Whether this instance runs the background chores. */
    public boolean runsChores() {
        return chores.enabled() != null ? chores.enabled() : worker.enabled();
    }

    /**
     * Where the tables are.
     *
     * @param initialize Whether to create and update the tables at start.
     * @param name Schema of the tables. Defaults to the first schema of the search path.
     * @param lockPatience How long a start waits for a lock on tables that it must update. After that it fails and names the session that holds them.
     */
    public record Schema(
            @DefaultValue(Defaults.SCHEMA_INITIALIZE) boolean initialize,
            @Nullable String name,
            @DefaultValue(Defaults.SCHEMA_LOCK_PATIENCE) Duration lockPatience) {}

    /**
     * How this instance works.
     *
     * @param enabled Whether this instance runs tasks. Set this to false in an application that only enqueues.
     * @param name Display name of this instance. Defaults to the name of the application.
     * @param queues The only queues whose tasks this instance runs. If not set, it runs those of the queue 'default' and of the queues that its handlers declare.
     * @param concurrency Number of slots: how many tasks run at once, in all queues without slots of their own.
     * @param queueConcurrency Number of slots of single queues, by name. These queues do not use the shared slots.
     * @param pollInterval Time after which an idle worker looks for tasks again. While it listens and finds nothing, it
     *     looks less and less often, at least every 30 seconds.
     * @param listen Whether tasks are announced by LISTEN/NOTIFY. Use the same value in all instances. Has no effect behind
     *     a transaction pooler.
     * @param heartbeatInterval How often a worker sends a heartbeat. At most a third of the lock timeout.
     * @param staleThreshold Time without a heartbeat after which a worker is marked STALE. It keeps its tasks.
     * @param timeout Maximum time of one run, for handlers that declare none. 0 means no limit.
     * @param warnAfter Time after which a run is logged once as long. 0 means never.
     * @param drainTimeout How long handlers may continue when the application stops, before their tasks are given back.
     */
    public record Worker(
            @DefaultValue(Defaults.WORKER_ENABLED) boolean enabled,
            @Nullable String name,
            @Nullable List<String> queues,
            @DefaultValue(Defaults.WORKER_CONCURRENCY) int concurrency,
            @DefaultValue Map<String, Integer> queueConcurrency,
            @DefaultValue(Defaults.WORKER_POLL_INTERVAL) Duration pollInterval,
            @DefaultValue(Defaults.WORKER_LISTEN) boolean listen,

            @DefaultValue(Defaults.WORKER_HEARTBEAT_INTERVAL)
            Duration heartbeatInterval,

            @DefaultValue(Defaults.WORKER_STALE_THRESHOLD) Duration staleThreshold,
            @DefaultValue(Defaults.WORKER_TIMEOUT) Duration timeout,
            @DefaultValue(Defaults.WORKER_WARN_AFTER) Duration warnAfter,
            @DefaultValue(Defaults.WORKER_DRAIN_TIMEOUT) Duration drainTimeout) {}

    /**
     * The background chores: reaper, clean-up, retention, gauges.
     *
     * @param enabled Whether this instance takes part in the background chores. Defaults to whether it runs tasks.
     */
    public record Chores(@Nullable Boolean enabled) {}

    /**
     * When failed tasks are retried.
     *
     * @param maxAttempts Total number of attempts, if neither the request nor the handler sets it.
     * @param initialInterval Delay before the second attempt.
     * @param multiplier Factor by which each delay is longer than the previous one.
     * @param maxInterval Maximum delay between two attempts.
     * @param jitter Fraction by which each delay is randomised, up or down, between 0 and 1.
     */
    public record Retry(
            @DefaultValue(Defaults.RETRY_MAX_ATTEMPTS) int maxAttempts,
            @DefaultValue(Defaults.RETRY_INITIAL_INTERVAL) Duration initialInterval,
            @DefaultValue(Defaults.RETRY_MULTIPLIER) double multiplier,
            @DefaultValue(Defaults.RETRY_MAX_INTERVAL) Duration maxInterval,
            @DefaultValue(Defaults.RETRY_JITTER) double jitter) {}

    /**
     * How tasks that lose their workers are treated.
     *
     * @param warnAbove Number of lost workers above which a task shows in metrics, health and the endpoint.
     * @param isolateAfter Number of lost workers from which a task runs alone in its worker.
     * @param quarantineAfter Number of lost workers at which a task is held for a person.
     * @param backoff Delay of a task that is reclaimed for the second time. The first time there is none.
     * @param backoffCap Maximum delay of a reclaimed task. Each delay is twice as long as the previous one.
     */
    public record Zombie(
            @DefaultValue(Defaults.ZOMBIE_WARN_ABOVE) int warnAbove,
            @DefaultValue(Defaults.ZOMBIE_ISOLATE_AFTER) int isolateAfter,
            @DefaultValue(Defaults.ZOMBIE_QUARANTINE_AFTER) int quarantineAfter,
            @DefaultValue(Defaults.ZOMBIE_BACKOFF) Duration backoff,
            @DefaultValue(Defaults.ZOMBIE_BACKOFF_CAP) Duration backoffCap) {}

    /**
     * How a worker's death is detected within seconds. Each worker's listening session holds an advisory lock, which PostgreSQL frees when the process dies. Needs LISTEN.
     *
     * @param enabled Whether workers hold an advisory lock that reveals a crash within seconds. Otherwise a crash is detected when the lease expires.
     * @param grace How long a worker's advisory lock must have been free before its leases are ended. A live worker has this time to reconnect.
     */
    public record Witness(
            @DefaultValue(Defaults.WITNESS_ENABLED) boolean enabled,
            @DefaultValue(Defaults.WITNESS_GRACE) Duration grace) {}

    /**
     * Which instance runs the background chores.
     *
     * @param lockTtl How long a leader's lock lasts unless it is renewed.
     * @param renewInterval How often the leader renews the lock. At most a third of the TTL.
     * @param acquireRetryInterval How often the other instances try to become the leader.
     */
    public record Leader(
            @DefaultValue(Defaults.LEADER_LOCK_TTL) Duration lockTtl,
            @DefaultValue(Defaults.LEADER_RENEW_INTERVAL) Duration renewInterval,

            @DefaultValue(Defaults.LEADER_ACQUIRE_RETRY_INTERVAL)
            Duration acquireRetryInterval) {}

    /**
     * Tasks that make no progress although their worker is alive.
     *
     * @param threshold Time since its last checkpoint, or its claim, after which a running task counts as abandoned. 0 means never.
     * @param interval How often the leader looks for abandoned tasks.
     */
    public record Abandoned(
            @DefaultValue(Defaults.ABANDONED_THRESHOLD) Duration threshold,
            @DefaultValue(Defaults.ABANDONED_INTERVAL) Duration interval) {}

    /**
     * How schedules fire.
     *
     * @param maxCatchUp Maximum number of missed times that fire after an outage, for schedules that catch up all of them.
     * @param undeclaredAfter Time after which a schedule is paused that no live worker declares any more.
     */
    public record Schedules(
            @DefaultValue(Defaults.SCHEDULES_MAX_CATCH_UP) int maxCatchUp,

            @DefaultValue(Defaults.SCHEDULES_UNDECLARED_AFTER)
            Duration undeclaredAfter) {}

    /**
     * How long rows are kept. 0 keeps them forever.
     *
     * @param completed How long completed and cancelled tasks are kept. 0 keeps them forever.
     * @param completedCount How many completed and cancelled tasks are kept: older ones are removed before their time. 0 means that only their age counts.
     * @param failed How long failed tasks are kept. 0 keeps them forever.
     * @param incidents How long incidents and the audit of people's decisions are kept. 0 keeps them forever.
     * @param workers How long workers that have stopped or crashed are listed. 0 lists them forever.
     * @param firings How long the ledger of schedules is kept, which says what became of each nominal time. 0 keeps it forever.
     * @param interval How often the leader removes expired rows.
     * @param batchSize Number of rows removed in one transaction.
     */
    public record Retention(
            @DefaultValue(Defaults.RETENTION_COMPLETED) Duration completed,

            @DefaultValue(Defaults.RETENTION_COMPLETED_COUNT)
            long completedCount,

            @DefaultValue(Defaults.RETENTION_FAILED) Duration failed,
            @DefaultValue(Defaults.RETENTION_INCIDENTS) Duration incidents,
            @DefaultValue(Defaults.RETENTION_WORKERS) Duration workers,
            @DefaultValue(Defaults.RETENTION_FIRINGS) Duration firings,
            @DefaultValue(Defaults.RETENTION_INTERVAL) Duration interval,
            @DefaultValue(Defaults.RETENTION_BATCH_SIZE) int batchSize) {}

    /**
     * The Actuator endpoint {@code konduitqueue}.
     *
     * @param showPayloads Which callers see payloads, checkpoints and error messages. A PayloadRedaction bean can redact them.
     * @param roles Roles that may see payloads with "when-authorized". One of them is enough. Without roles, every authenticated caller may.
     * @param allowWrites Whether the endpoint may change anything: release, fail, retry, cancel, reschedule, reclaim, pause, resume, drain. Reading needs only that the endpoint is exposed.
     */
    public record Endpoint(
            @DefaultValue(Defaults.ENDPOINT_ALLOW_WRITES) boolean allowWrites,
            @DefaultValue(Defaults.ENDPOINT_SHOW_PAYLOADS) ShowPayloads showPayloads,
            @DefaultValue Set<String> roles) {}

    /**
     * The pages for operators, in applications with Spring MVC.
     *
     * @param enabled Whether to serve the dashboard. Needs Spring MVC, Actuator and, unless 'insecure' is set, Spring Security on the class path.
     * @param path Where it is served, below the context path of the application.
     * @param insecure Whether to serve it without Spring Security, to everybody who can reach the application. Meant for a developer's machine.
     * @param readRoles Roles that may see the dashboard. One of them is enough. Without roles, every signed-in user may.
     * @param allowWrites Whether the dashboard may change anything: release, fail, retry, cancel, reschedule, reclaim, pause, resume, drain.
     * @param writeRoles Roles that may change something if writes are allowed. One of them is enough. Without roles, everybody who may see the dashboard may.
     * @param showPayloads Which users see payloads, checkpoints and error messages. A PayloadRedaction bean can redact them.
     * @param payloadRoles Roles that may see payloads with "when-authorized". One of them is enough. Without roles, every signed-in user may.
     */
    public record Dashboard(
            @DefaultValue(Defaults.DASHBOARD_ENABLED) boolean enabled,
            @DefaultValue(Defaults.DASHBOARD_PATH) String path,
            @DefaultValue(Defaults.DASHBOARD_INSECURE) boolean insecure,
            @DefaultValue Set<String> readRoles,
            @DefaultValue(Defaults.DASHBOARD_ALLOW_WRITES) boolean allowWrites,
            @DefaultValue Set<String> writeRoles,
            @DefaultValue(Defaults.DASHBOARD_SHOW_PAYLOADS) ShowPayloads showPayloads,
            @DefaultValue Set<String> payloadRoles) {}

    /** Which callers see payloads. */
    public enum ShowPayloads {
        /** Nobody. */
        NEVER,
        /** Authenticated callers over the web that have one of the roles. */
        WHEN_AUTHORIZED,
        /** Everybody who may call the endpoint. */
        ALWAYS
    }

    /** Where the messages of handlers' errors, which may quote payloads, may go. */
    public enum ErrorMessages {
        /** Neither stored nor logged. */
        NEVER,
        /** In the database only. */
        STORE,
        /** In the database and in the log. */
        LOG
    }

    /**
     * What is kept of the errors of handlers.
     *
     * @param messages Where error messages, which may quote payloads, are kept: nowhere, in the database, or in the database and the log. Classes and stack traces are always kept and logged.
     */
    public record Errors(
            @DefaultValue(Defaults.ERRORS_MESSAGES) ErrorMessages messages) {}

    /**
     * What happens when the database has lost commits, for example after a failover to a standby that lagged behind.
     *
     * @param pauseQueues Whether to pause the queues of this instance when the database has lost commits, until a person resumes them.
     */
    public record Failover(
            @DefaultValue(Defaults.FAILOVER_PAUSE_QUEUES) boolean pauseQueues) {}
}
