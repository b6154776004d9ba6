package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.RegisteredWorker;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** Workers as callers see them. */
final class WorkerViews {
    private WorkerViews() {}

    record Worker(
            String id,
            String name,
            String host,
            long pid,
            String version,
            @Nullable String applicationVersion,
            List<String> queues,
            int concurrency,
            String status,
            Instant startedAt,
            Instant lastBeatAt,
            double silentSeconds,
            long running,
            boolean witness,
            @Nullable Instant drainingSince,
            @Nullable String drainingBy) {

        static Worker of(RegisteredWorker found) {
            return new Worker(
                    found.id().toString(),
                    found.name(),
                    found.host(),
                    found.pid(),
                    found.version(),
                    found.applicationVersion(),
                    found.queues(),
                    found.concurrency(),
                    found.status().name(),
                    found.startedAt(),
                    found.lastBeatAt(),
                    found.silentSeconds(),
                    found.running(),
                    found.witness(),
                    found.drainingSince(),
                    found.drainingBy());
        }
    }

    record Workers(List<Worker> workers) implements OperationResponseBody {}
}
