package io.konduit.queue;

import io.konduit.queue.settings.WorkerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Changes to a worker's settings, one at a time. */
public final class With {
    private With() {}

    @SafeVarargs
    public static UnaryOperator<WorkerSettings> all(UnaryOperator<WorkerSettings>... changes) {
        return settings -> {
            WorkerSettings changed = settings;
            for (UnaryOperator<WorkerSettings> change : changes) {
                changed = change.apply(changed);
            }
            return changed;
        };
    }

    public static UnaryOperator<WorkerSettings> queues(String... queues) {
        return change(fields -> fields.queues = List.of(queues));
    }

    public static UnaryOperator<WorkerSettings> concurrency(int slots) {
        return change(fields -> fields.concurrency = slots);
    }

    public static UnaryOperator<WorkerSettings> queueConcurrency(Map<String, Integer> slots) {
        return change(fields -> fields.queueConcurrency = slots);
    }

    public static UnaryOperator<WorkerSettings> lockTimeout(Duration lockTimeout) {
        return change(fields -> {
            fields.lockTimeout = lockTimeout;
            fields.heartbeatInterval = lockTimeout.dividedBy(3);
        });
    }

    public static UnaryOperator<WorkerSettings> pollInterval(Duration pollInterval) {
        return change(fields -> fields.pollInterval = pollInterval);
    }

    public static UnaryOperator<WorkerSettings> timeout(Duration timeout) {
        return change(fields -> fields.timeout = timeout);
    }

    public static UnaryOperator<WorkerSettings> drainTimeout(Duration drainTimeout) {
        return change(fields -> fields.drainTimeout = drainTimeout);
    }

    public static UnaryOperator<WorkerSettings> listening() {
        return change(fields -> fields.listen = true);
    }

    public static UnaryOperator<WorkerSettings> notListening() {
        return change(fields -> fields.listen = false);
    }

    public static UnaryOperator<WorkerSettings> heartbeatInterval(Duration heartbeatInterval) {
        return change(fields -> fields.heartbeatInterval = heartbeatInterval);
    }

    private interface Change {
        void apply(Fields fields);
    }

    private static final class Fields {
        List<String> queues;
        int concurrency;
        Map<String, Integer> queueConcurrency;
        Duration lockTimeout;
        Duration pollInterval;
        Duration heartbeatInterval;
        Duration timeout;
        Duration drainTimeout;
        boolean listen;
    }

    private static UnaryOperator<WorkerSettings> change(Change change) {
        return settings -> {
            Fields fields = new Fields();
            fields.queues = settings.queues();
            fields.concurrency = settings.concurrency();
            fields.queueConcurrency = settings.queueConcurrency();
            fields.lockTimeout = settings.lockTimeout();
            fields.pollInterval = settings.pollInterval();
            fields.heartbeatInterval = settings.heartbeatInterval();
            fields.timeout = settings.timeout();
            fields.drainTimeout = settings.drainTimeout();
            fields.listen = settings.listen();
            change.apply(fields);
            return new WorkerSettings(
                    fields.queues,
                    fields.concurrency,
                    fields.queueConcurrency,
                    fields.lockTimeout,
                    fields.pollInterval,
                    fields.heartbeatInterval,
                    fields.timeout,
                    settings.warnAfter(),
                    fields.drainTimeout,
                    fields.listen,
                    settings.isolateAfter());
        };
    }
}
