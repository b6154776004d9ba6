package io.konduit.queue.worker;

import io.konduit.queue.thread.Phases;
import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;

/**
 * S12: the heartbeat of an instance that only runs chores. It registers without queues or slots, so operators can see
 * which instance leads. Its heartbeats also let the reaper detect outages and clock jumps, as a worker's do (H10).
 */
public final class ChoresPresence implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(ChoresPresence.class);
    private static final Duration LAST_BEAT = Duration.ofSeconds(5);

    private final WorkerRegistry registry;
    private final Duration heartbeatInterval;
    private @Nullable Running running;

    private record Running(Thread thread, CountDownLatch stopped) {}

    public ChoresPresence(WorkerRegistry registry, Duration heartbeatInterval) {
        this.registry = registry;
        this.heartbeatInterval = heartbeatInterval;
    }

    @Override
    public synchronized void start() {
        if (running == null) {
            CountDownLatch stopped = new CountDownLatch(1);
            running = new Running(QueueThreads.start("konduit-heartbeat", () -> beatUntil(stopped)), stopped);
        }
    }

    private void beatUntil(CountDownLatch stopped) {
        try {
            do {
                beat();
            } while (!stopped.await(heartbeatInterval.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whatever goes wrong, the next heartbeat follows. */
    private void beat() {
        try {
            registry.beat(List.of(), 0);
        } catch (DataAccessException e) {
            log.debug("The database does not answer; the next heartbeat tries again", e);
        } catch (RuntimeException | Error e) {
            log.error("The heartbeat failed unexpectedly and continues", e);
        }
    }

    @Override
    public synchronized void stop() {
        Running stopping = running;
        if (stopping != null) {
            stopping.stopped().countDown();
            QueueThreads.join(List.of(stopping.thread()), LAST_BEAT);
            registry.deregister();
            running = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running != null;
    }

    @Override
    public int getPhase() {
        return Phases.WORKER;
    }
}
