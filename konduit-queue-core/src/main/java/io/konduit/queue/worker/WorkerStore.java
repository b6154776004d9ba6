package io.konduit.queue.worker;

import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.NotificationChannel;

/** The worker's access to the database. */
public record WorkerStore(
        LeaseRepository leases,
        IncidentRepository incidents,
        WorkerRegistry registry,
        NotificationChannel channel,
        WitnessParts witness,
        Later later) {}
