package io.konduit.queue.worker;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.LeaseRepository;

/** Completers for tests, which publish to the harness. */
final class Completers {
    private Completers() {}

    static Completer of(
            QueueHarness harness,
            QueueDatabase database,
            LeaseRepository leases,
            ActiveLeases active,
            QueueMonitor monitor) {
        return new Completer(
                leases,
                new IncidentRepository(database),
                active,
                new WorkerEvents(monitor, harness.queueEvents()),
                (queue, delay) -> {},
                System::nanoTime);
    }
}
