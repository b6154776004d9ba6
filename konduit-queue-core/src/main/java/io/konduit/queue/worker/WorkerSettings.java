package io.konduit.queue.worker;

import io.konduit.queue.DurationText;
import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.TaskNames;
import io.konduit.queue.handler.JobHandlerMethod;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * How a worker works, as {@code konduit.queue.*} says.
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
        atLeastOne(concurrency, "konduit.queue.worker.concurrency");
        for (Map.Entry<String, Integer> own : queueConcurrency.entrySet()) {
            String property = "konduit.queue.worker.queue-concurrency." + own.getKey();
            atLeastOne(own.getValue(), property);
            require(
                    queues.isEmpty() || queues.contains(own.getKey()),
                    "'%s' (%d) is set, but 'konduit.queue.worker.queues' (%s) does not name that queue."
                            .formatted(property, own.getValue(), String.join(", ", queues)));
        }
        require(
                lockTimeout.compareTo(TaskNames.SHORTEST_LOCK_TIMEOUT) >= 0,
                "'konduit.queue.lock-timeout' (%s) must be at least 1s.".formatted(text(lockTimeout)));
        positive(pollInterval, "konduit.queue.worker.poll-interval");
        positive(heartbeatInterval, "konduit.queue.worker.heartbeat-interval");
        require(
                heartbeatInterval.multipliedBy(3).compareTo(lockTimeout) <= 0,
                "'konduit.queue.worker.heartbeat-interval' (%s) must be at most a third of 'konduit.queue.lock-timeout' (%s)."
                        .formatted(text(heartbeatInterval), text(lockTimeout)));
        notNegative(timeout, "konduit.queue.worker.timeout");
        notNegative(warnAfter, "konduit.queue.worker.warn-after");
        notNegative(drainTimeout, "konduit.queue.worker.drain-timeout");
        atLeastOne(isolateAfter, "konduit.queue.zombie.isolate-after");
    }

    /**
     * These settings with the queues that a worker with these handlers serves.
     *
     * @throws InvalidSettingsException if a queue has slots of its own and is not served
     */
    WorkerSettings serving(Collection<JobHandlerMethod> handlers) {
        List<String> served = ServedQueues.of(queues, handlers);
        for (Map.Entry<String, Integer> own : queueConcurrency.entrySet()) {
            require(
                    served.contains(own.getKey()),
                    "'konduit.queue.worker.queue-concurrency.%s' (%d) is set, but this worker does not serve that queue: no handler declares it, and 'konduit.queue.worker.queues' is not set."
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
                10,
                Map.of(),
                Duration.ofMinutes(5),
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                Duration.ZERO,
                Duration.ofHours(1),
                Duration.ofSeconds(20),
                true,
                2);
    }

    private static void requireName(String queue) {
        try {
            TaskNames.requireQueue(queue, "a name in 'konduit.queue.worker.queues'");
        } catch (InvalidTaskException e) {
            throw new InvalidSettingsException(String.valueOf(e.getMessage()), e);
        }
    }

    private static void positive(Duration value, String property) {
        require(
                !value.isNegative() && !value.isZero(),
                "'%s' (%s) must be greater than zero.".formatted(property, text(value)));
    }

    private static void notNegative(Duration value, String property) {
        require(!value.isNegative(), "'%s' (%s) must not be negative.".formatted(property, text(value)));
    }

    private static void atLeastOne(int value, String property) {
        require(value >= 1, "'%s' (%d) must be at least 1.".formatted(property, value));
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new InvalidSettingsException(message);
        }
    }

    private static String text(Duration duration) {
        return DurationText.of(duration);
    }
}
