package io.konduit.queue.worker;

import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.store.WorkerRepository;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Checks whether a live worker serves each queue that this application's handlers declare. */
public final class DeclaredQueues {
    private final JobHandlerRegistry handlers;
    private final WorkerRepository workers;
    private final Duration staleThreshold;

    /** @param staleThreshold a worker that has been silent for longer serves nothing */
    public DeclaredQueues(JobHandlerRegistry handlers, WorkerRepository workers, Duration staleThreshold) {
        this.handlers = handlers;
        this.workers = workers;
        this.staleThreshold = staleThreshold;
    }

    /**
     * Declared queues that no live worker serves, each with its handlers' types. Runs no query when none is declared.
     */
    public SortedMap<String, List<String>> unserved() {
        SortedMap<String, List<String>> declared = ServedQueues.declared(handlers.all());
        if (declared.isEmpty()) {
            return declared;
        }
        SortedMap<String, List<String>> unserved = new TreeMap<>(declared);
        unserved.keySet().retainAll(workers.unserved(declared.keySet(), staleThreshold));
        return unserved;
    }
}
