package io.konduit.queue;

import java.time.Duration;
import java.util.UUID;

/** A worker has not been heard of for too long. Its tasks are its own until their leases end. */
public record WorkerMarkedStale(UUID worker, String name, String host, long pid, Duration silentFor) {}
