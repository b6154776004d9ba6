package io.konduit.queue.settings;

/** The names of the properties that messages and conditions mention. They are defined only here. */
public final class PropertyNames {
    public static final String ABANDONED_INTERVAL = "konduit.queue.abandoned.interval";
    public static final String ABANDONED_THRESHOLD = "konduit.queue.abandoned.threshold";
    public static final String CHORES_ENABLED = "konduit.queue.chores.enabled";
    public static final String CONTROL_POOL_SIZE = "konduit.queue.control-pool-size";
    public static final String DASHBOARD_ALLOW_WRITES = "konduit.queue.dashboard.allow-writes";
    public static final String DASHBOARD_ENABLED = "konduit.queue.dashboard.enabled";
    public static final String DASHBOARD_INSECURE = "konduit.queue.dashboard.insecure";
    public static final String DASHBOARD_PATH = "konduit.queue.dashboard.path";
    public static final String DASHBOARD_READ_ROLES = "konduit.queue.dashboard.read-roles";
    public static final String DASHBOARD_SHOW_PAYLOADS = "konduit.queue.dashboard.show-payloads";
    public static final String DASHBOARD_WRITE_ROLES = "konduit.queue.dashboard.write-roles";
    public static final String ENABLED = "konduit.queue.enabled";
    public static final String ENDPOINT_ALLOW_WRITES = "konduit.queue.endpoint.allow-writes";
    public static final String ENDPOINT_SHOW_PAYLOADS = "konduit.queue.endpoint.show-payloads";
    public static final String LEADER_ACQUIRE_RETRY_INTERVAL = "konduit.queue.leader.acquire-retry-interval";
    public static final String LEADER_LOCK_TTL = "konduit.queue.leader.lock-ttl";
    public static final String LEADER_RENEW_INTERVAL = "konduit.queue.leader.renew-interval";
    public static final String LOCK_TIMEOUT = "konduit.queue.lock-timeout";
    public static final String MAX_PAYLOAD = "konduit.queue.max-payload";
    public static final String REAPER_BATCH_SIZE = "konduit.queue.reaper-batch-size";
    public static final String REAPER_GRACE = "konduit.queue.reaper-grace";
    public static final String REAPER_INTERVAL = "konduit.queue.reaper-interval";
    public static final String REJECT_UNKNOWN_TYPES = "konduit.queue.reject-unknown-types";
    public static final String RETENTION_BATCH_SIZE = "konduit.queue.retention.batch-size";
    public static final String RETENTION_COMPLETED = "konduit.queue.retention.completed";
    public static final String RETENTION_COMPLETED_COUNT = "konduit.queue.retention.completed-count";
    public static final String RETENTION_FAILED = "konduit.queue.retention.failed";
    public static final String RETENTION_FIRINGS = "konduit.queue.retention.firings";
    public static final String RETENTION_INCIDENTS = "konduit.queue.retention.incidents";
    public static final String RETENTION_INTERVAL = "konduit.queue.retention.interval";
    public static final String RETENTION_WORKERS = "konduit.queue.retention.workers";
    public static final String RETRY_INITIAL_INTERVAL = "konduit.queue.retry.initial-interval";
    public static final String RETRY_JITTER = "konduit.queue.retry.jitter";
    public static final String RETRY_MAX_ATTEMPTS = "konduit.queue.retry.max-attempts";
    public static final String RETRY_MAX_INTERVAL = "konduit.queue.retry.max-interval";
    public static final String RETRY_MULTIPLIER = "konduit.queue.retry.multiplier";
    public static final String SCHEDULES_MAX_CATCH_UP = "konduit.queue.schedules.max-catch-up";
    public static final String SCHEDULES_UNDECLARED_AFTER = "konduit.queue.schedules.undeclared-after";
    public static final String SCHEMA_INITIALIZE = "konduit.queue.schema.initialize";
    public static final String SCHEMA_LOCK_PATIENCE = "konduit.queue.schema.lock-patience";
    public static final String SCHEMA_NAME = "konduit.queue.schema.name";
    public static final String WITNESS_ENABLED = "konduit.queue.witness.enabled";
    public static final String WITNESS_GRACE = "konduit.queue.witness.grace";
    public static final String WORKER_CONCURRENCY = "konduit.queue.worker.concurrency";
    public static final String WORKER_DRAIN_TIMEOUT = "konduit.queue.worker.drain-timeout";
    public static final String WORKER_ENABLED = "konduit.queue.worker.enabled";
    public static final String WORKER_HEARTBEAT_INTERVAL = "konduit.queue.worker.heartbeat-interval";
    public static final String WORKER_LISTEN = "konduit.queue.worker.listen";
    public static final String WORKER_POLL_INTERVAL = "konduit.queue.worker.poll-interval";
    public static final String WORKER_QUEUES = "konduit.queue.worker.queues";
    public static final String WORKER_QUEUE_CONCURRENCY = "konduit.queue.worker.queue-concurrency";
    public static final String WORKER_STALE_THRESHOLD = "konduit.queue.worker.stale-threshold";
    public static final String WORKER_TIMEOUT = "konduit.queue.worker.timeout";
    public static final String WORKER_WARN_AFTER = "konduit.queue.worker.warn-after";
    public static final String ZOMBIE_BACKOFF = "konduit.queue.zombie.backoff";
    public static final String ZOMBIE_BACKOFF_CAP = "konduit.queue.zombie.backoff-cap";
    public static final String ZOMBIE_ISOLATE_AFTER = "konduit.queue.zombie.isolate-after";
    public static final String ZOMBIE_QUARANTINE_AFTER = "konduit.queue.zombie.quarantine-after";
    public static final String ZOMBIE_WARN_ABOVE = "konduit.queue.zombie.warn-above";

    private PropertyNames() {}
}
