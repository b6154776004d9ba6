package io.konduit.queue.recovery;

import io.konduit.queue.event.WorkerMarkedStale;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.store.WorkerRepository.Silent;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * H2: marks workers that have been silent for too long as STALE, for operators and metrics. A stale worker keeps its
 * tasks: only the end of a lease takes a task away.
 *
 * <ol>
 *   <li>Marks all silent workers with one statement.
 *   <li>Logs and publishes each. If the node dies before that, the rows are marked without a log line or event.
 * </ol>
 */
public final class StaleWorkerMarker {
    private static final Logger log = LoggerFactory.getLogger(StaleWorkerMarker.class);

    private final WorkerRepository workers;
    private final Duration threshold;
    private final QueueEvents events;

    /**
     * @param threshold how long a worker may be silent
     */
    public StaleWorkerMarker(WorkerRepository workers, Duration threshold, QueueEvents events) {
        this.workers = workers;
        this.threshold = threshold;
        this.events = events;
    }

    /** One pass; returns how many workers were marked. */
    public int markOnce() {
        List<Silent> silent = workers.markStale(threshold);
        for (Silent worker : silent) {
            log.warn(
                    "Worker {} ({}, {} pid {}) has been silent for {} s and is STALE. It keeps its tasks until their leases expire.",
                    worker.name(),
                    worker.id(),
                    worker.host(),
                    worker.pid(),
                    worker.silentFor().toSeconds());
            events.publish(
                    new WorkerMarkedStale(worker.id(), worker.name(), worker.host(), worker.pid(), worker.silentFor()));
        }
        return silent.size();
    }
}
