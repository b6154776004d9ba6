package io.konduit.queue.event;

import java.time.Duration;
import java.util.UUID;

/** A worker has sent no heartbeat for too long. It keeps its tasks until their leases expire. */
public record WorkerMarkedStale(UUID worker, String name, String host, long pid, Duration silentFor) {}
