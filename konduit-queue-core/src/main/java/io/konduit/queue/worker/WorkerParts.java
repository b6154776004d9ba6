package io.konduit.queue.worker;

import io.konduit.queue.settings.WorkerSettings;

/** The parts of a worker. */
public record WorkerParts(
        WorkerSettings settings, WorkerStore store, TaskRunner runner, WorkerEvents events, WorkerRuntime runtime) {

    /** The same for the queues that the worker serves. Evaluated at each start: handlers declare queues. */
    WorkerParts serving() {
        WorkerSettings serving = settings.serving(
                ServedQueues.of(settings.queues(), runner.handlers().all()));
        return new WorkerParts(serving, store, runner, events, runtime);
    }
}
