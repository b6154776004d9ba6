package io.konduit.queue.admin;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A worker as it registered, and the time of its last heartbeat.
 *
 * @param running how many tasks it holds
 * @param witness whether a crash of the worker is detected by its session; otherwise its leases must expire
 * @param drainingSince when an operator asked it to stop claiming
 */
public record RegisteredWorker(
        UUID id,
        String name,
        String host,
        long pid,
        String version,
        @Nullable String applicationVersion,
        List<String> queues,
        int concurrency,
        WorkerState status,
        Instant startedAt,
        Instant lastBeatAt,
        double silentSeconds,
        long running,
        boolean witness,
        @Nullable Instant drainingSince,
        @Nullable String drainingBy) {}
