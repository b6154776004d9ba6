package io.konduit.queue.settings;

import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.InvalidTaskException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a worker works, from {@code konduit.queue.*}.
 *
 * @param queues exactly these queues are served; none for the default queue and those that handlers declare
 * @param concurrency slots shared by the queues that have none of their own
 * @param queueConcurrency slots of queues that have their own
 * @param timeout hard limit of a run, zero for none
 * @param isolateAfter a task that has lost this many workers runs alone
 */
public record WorkerSettings(
        List<String> queues,
        int concurrency,
        Map<String, Integer> queueConcurrency,
        Duration lockTimeout,
        Duration pollInterval,
        Duration heartbeatInterval,
        Duration timeout,
        Duration warnAfter,
        Duration drainTimeout,
        boolean listen,
        int isolateAfter) {

    public WorkerSettings {
        queues = List.copyOf(queues);
        queueConcurrency = Map.copyOf(queueConcurrency);
        queues.forEach(WorkerSettings::requireName);
        SettingRules.requireAtLeastOne(concurrency, PropertyNames.WORKER_CONCURRENCY);
        for (Map.Entry<String, Integer> own : queueConcurrency.entrySet()) {
            String property = PropertyNames.WORKER_QUEUE_CONCURRENCY + "." + own.getKey();
            SettingRules.requireAtLeastOne(own.getValue(), property);
            SettingRules.require(
                    queues.isEmpty() || queues.contains(own.getKey()),
                    ("'%s' (%d) is set, but '" + PropertyNames.WORKER_QUEUES + "' (%s) does not name that queue.")
                            .formatted(property, own.getValue(), String.join(", ", queues)));
        }
        SettingRules.require(
                lockTimeout.compareTo(TaskNames.SHORTEST_LOCK_TIMEOUT) >= 0,
                ("'" + PropertyNames.LOCK_TIMEOUT + "' (%s) must be at least 1s.")
                        .formatted(DurationText.of(lockTimeout)));
        SettingRules.requirePositive(pollInterval, PropertyNames.WORKER_POLL_INTERVAL);
        SettingRules.requirePositive(heartbeatInterval, PropertyNames.WORKER_HEARTBEAT_INTERVAL);
        SettingRules.require(
                heartbeatInterval.multipliedBy(3).compareTo(lockTimeout) <= 0,
                ("'" + PropertyNames.WORKER_HEARTBEAT_INTERVAL + "' (%s) must be at most a third of '"
                                + PropertyNames.LOCK_TIMEOUT + "' (%s).")
                        .formatted(DurationText.of(heartbeatInterval), DurationText.of(lockTimeout)));
        SettingRules.requireNotNegative(timeout, PropertyNames.WORKER_TIMEOUT);
        SettingRules.requireNotNegative(warnAfter, PropertyNames.WORKER_WARN_AFTER);
        SettingRules.requireNotNegative(drainTimeout, PropertyNames.WORKER_DRAIN_TIMEOUT);
        ReclaimPolicy.requireIsolateAfter(isolateAfter);
    }

    /**
     * The queues named by {@code konduit.queue.worker.queues}; empty when it is not set.
     *
     * @param named null when it is not set
     */
    public static List<String> namedQueues(@Nullable List<String> named) {
        SettingRules.require(
                named == null || !named.isEmpty(),
                "'" + PropertyNames.WORKER_QUEUES + "' must name at least one queue. Remove it to"
                        + " serve 'default' and the queues that handlers declare.");
        return named == null ? List.of() : named;
    }

    /**
     * These settings with the queues that a worker serves.
     *
     * @throws InvalidSettingsException if a queue has slots of its own and is not served
     */
    public WorkerSettings serving(List<String> served) {
        for (Map.Entry<String, Integer> own : queueConcurrency.entrySet()) {
            SettingRules.require(
                    served.contains(own.getKey()),
                    ("'" + PropertyNames.WORKER_QUEUE_CONCURRENCY
                                    + ".%s' (%d) is set, but this worker does not serve that queue: no handler declares it, and '"
                                    + PropertyNames.WORKER_QUEUES + "' is not set.")
                            .formatted(own.getKey(), own.getValue()));
        }
        return new WorkerSettings(
                served,
                concurrency,
                queueConcurrency,
                lockTimeout,
                pollInterval,
                heartbeatInterval,
                timeout,
                warnAfter,
                drainTimeout,
                listen,
                isolateAfter);
    }

    /** The defaults of the properties. */
    public static WorkerSettings defaults() {
        return new WorkerSettings(
                List.of(),
                Defaults.number(Defaults.WORKER_CONCURRENCY),
                Map.of(),
                Defaults.duration(Defaults.LOCK_TIMEOUT),
                Defaults.duration(Defaults.WORKER_POLL_INTERVAL),
                Defaults.duration(Defaults.WORKER_HEARTBEAT_INTERVAL),
                Defaults.duration(Defaults.WORKER_TIMEOUT),
                Defaults.duration(Defaults.WORKER_WARN_AFTER),
                Defaults.duration(Defaults.WORKER_DRAIN_TIMEOUT),
                Defaults.flag(Defaults.WORKER_LISTEN),
                ReclaimPolicy.defaults().isolateAfter());
    }

    private static void requireName(String queue) {
        try {
            TaskNames.requireQueue(queue, "a name in '" + PropertyNames.WORKER_QUEUES + "'");
        } catch (InvalidTaskException e) {
            throw new InvalidSettingsException(String.valueOf(e.getMessage()), e);
        }
    }
}
