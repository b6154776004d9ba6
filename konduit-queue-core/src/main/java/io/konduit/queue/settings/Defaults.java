package io.konduit.queue.settings;

import java.time.Duration;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.unit.DataSize;

/** The defaults of the properties under {@code konduit.queue}, in property syntax. They are defined only here. */
public final class Defaults {
    public static final String ENABLED = "true";
    public static final String LOCK_TIMEOUT = "5m";
    public static final String REAPER_INTERVAL = "30s";
    public static final String REAPER_GRACE = "0s";
    public static final String REAPER_BATCH_SIZE = "500";
    public static final String REJECT_UNKNOWN_TYPES = "false";
    public static final String MAX_PAYLOAD = "256KB";
    public static final String CHECK_PAYLOADS = "false";
    public static final String GROUP_ENQUEUES = "true";
    public static final String CONTROL_POOL_SIZE = "2";

    public static final String SCHEMA_INITIALIZE = "true";
    public static final String SCHEMA_LOCK_PATIENCE = "1m";

    public static final String WORKER_ENABLED = "true";
    public static final String WORKER_CONCURRENCY = "10";
    public static final String WORKER_POLL_INTERVAL = "1s";
    public static final String WORKER_LISTEN = "true";
    public static final String WORKER_HEARTBEAT_INTERVAL = "10s";
    public static final String WORKER_STALE_THRESHOLD = "60s";
    public static final String WORKER_TIMEOUT = "0s";
    public static final String WORKER_WARN_AFTER = "1h";
    public static final String WORKER_DRAIN_TIMEOUT = "20s";

    public static final String RETRY_MAX_ATTEMPTS = "3";
    public static final String RETRY_INITIAL_INTERVAL = "1s";
    public static final String RETRY_MULTIPLIER = "2.0";
    public static final String RETRY_MAX_INTERVAL = "5m";
    public static final String RETRY_JITTER = "0.2";

    public static final String ZOMBIE_WARN_ABOVE = "3";
    public static final String ZOMBIE_ISOLATE_AFTER = "2";
    public static final String ZOMBIE_QUARANTINE_AFTER = "5";
    public static final String ZOMBIE_BACKOFF = "5s";
    public static final String ZOMBIE_BACKOFF_CAP = "5m";

    public static final String WITNESS_ENABLED = "true";
    public static final String WITNESS_GRACE = "5s";

    public static final String LEADER_LOCK_TTL = "30s";
    public static final String LEADER_RENEW_INTERVAL = "10s";
    public static final String LEADER_ACQUIRE_RETRY_INTERVAL = "5s";

    public static final String ABANDONED_THRESHOLD = "7d";
    public static final String ABANDONED_INTERVAL = "6h";

    public static final String RETENTION_COMPLETED = "7d";
    public static final String RETENTION_COMPLETED_COUNT = "0";
    public static final String RETENTION_FAILED = "30d";
    public static final String RETENTION_INCIDENTS = "90d";
    public static final String RETENTION_WORKERS = "1d";
    public static final String RETENTION_FIRINGS = "30d";
    public static final String RETENTION_INTERVAL = "10m";
    public static final String RETENTION_BATCH_SIZE = "5000";

    public static final String SCHEDULES_MAX_CATCH_UP = "100";
    public static final String SCHEDULES_UNDECLARED_AFTER = "10m";
    public static final String ENDPOINT_ALLOW_WRITES = "false";
    public static final String ENDPOINT_SHOW_PAYLOADS = "never";

    public static final String DASHBOARD_ENABLED = "false";
    public static final String DASHBOARD_PATH = "/konduit";
    public static final String DASHBOARD_INSECURE = "false";
    public static final String DASHBOARD_ALLOW_WRITES = "false";
    public static final String DASHBOARD_SHOW_PAYLOADS = "never";

    public static final String ERRORS_MESSAGES = "store";

    public static final String FAILOVER_PAUSE_QUEUES = "false";

    private Defaults() {}

    static Duration duration(String text) {
        return DurationFormatterUtils.parse(text, DurationFormat.Style.SIMPLE);
    }

    static int number(String text) {
        return Integer.parseInt(text);
    }

    static boolean flag(String text) {
        return Boolean.parseBoolean(text);
    }

    static long bytes(String text) {
        return DataSize.parse(text).toBytes();
    }
}
