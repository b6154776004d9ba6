package io.konduit.queue.worker;

import io.konduit.queue.store.ExtensionResult;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Extends the leases of running tasks, on a thread of its own, with one statement for all that have used a third of
 * their time. It also sends the worker's heartbeat.
 *
 * <ol>
 *   <li>Extended: the lease continues. If the node dies now, the reaper takes the task when the new lease has expired.
 *   <li>Lost: the handler is interrupted and its result dropped.
 *   <li>Busy, or no answer: retried soon. {@link LeaseWatchdog} ends the run before the lease ends.
 * </ol>
 */
final class LeaseKeeper {
    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);
    private static final long LONGEST_NAP = Duration.ofSeconds(1).toNanos();
    private static final long SHORTEST_NAP = Duration.ofMillis(20).toNanos();
    private static final long RETRY_NAP = Duration.ofMillis(200).toNanos();

    private final LeaseRepository leases;
    private final ActiveLeases active;
    private final ControlHealth health;
    private final WorkerEvents events;
    private final LossReason reason;
    private final Beat beat;
    private final long beatNanos;
    private final LongSupplier nanoTime;
    private long beatenNanos;
    private boolean someBusy;
    private volatile boolean stopped;
    private volatile @Nullable Thread thread;

    LeaseKeeper(
            LeaseRepository leases,
            ActiveLeases active,
            ControlHealth health,
            WorkerEvents events,
            Beat beat,
            LongSupplier nanoTime) {
        this.leases = leases;
        this.active = active;
        this.health = health;
        this.events = events;
        this.reason = new LossReason(leases);
        this.beat = beat;
        this.beatNanos = beat.interval().toNanos();
        this.nanoTime = nanoTime;
        this.beatenNanos = nanoTime.getAsLong();
    }

    /**
     * The worker's own heartbeat and how often it is sent.
     *
     * @param send true when leases may have ended unnoticed and all should be extended at once
     * @param hearsOfCancels whether cancel notices arrive; otherwise each heartbeat looks for lost leases
     */
    record Beat(BooleanSupplier send, Duration interval, BooleanSupplier hearsOfCancels) {
        Beat(BooleanSupplier send, Duration interval) {
            this(send, interval, () -> true);
        }
    }

    /** The loop of the keeper's thread. */
    void run() {
        thread = Thread.currentThread();
        while (!stopped) {
            QueueThreads.stepped();
            LockSupport.parkNanos(this, step());
        }
    }

    void stop() {
        stopped = true;
        wake();
    }

    /** A new lease may need its first extension before the keeper's next check. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /**
     * Sends a heartbeat and extends leases if due; returns how long to wait. Whatever goes wrong, the next step follows.
     */
    long step() {
        try {
            if (beatIfDue() & extendOnce()) {
                health.succeeded();
                return someBusy ? RETRY_NAP : nap();
            }
        } catch (RuntimeException | Error e) {
            log.error("The lease keeper failed unexpectedly and continues", e);
        }
        return RETRY_NAP;
    }

    /** One pass: extends the leases that need it; false when the database gave no answer. */
    boolean extendOnce() {
        long sent = nanoTime.getAsLong();
        someBusy = false;
        Map<Lease, RunningTask> runs = new HashMap<>();
        Map<Lease, Duration> due = new LinkedHashMap<>();
        for (RunningTask run : active.all()) {
            if (run.needsExtension(sent)) {
                run.extending();
                runs.put(run.lease(), run);
                due.put(run.lease(), run.task().lockTimeout());
            }
        }
        if (due.isEmpty()) {
            return true;
        }
        try {
            leases.extend(due).forEach((lease, result) -> apply(runs.get(lease), result, sent));
            return true;
        } catch (DataAccessException e) {
            health.failed(e);
            return false;
        }
    }

    private void apply(@Nullable RunningTask run, ExtensionResult result, long sent) {
        if (run == null) {
            return;
        }
        switch (result) {
            case EXTENDED -> {
                log.trace("Extended the lease on {}", run.task());
                run.confirm(sent);
            }
            case LOST -> {
                if (run.lose(reason.of(run))) {
                    events.lost(run);
                }
            }
            case BUSY -> someBusy |= !run.busy(sent);
        }
    }

    /**
     * While the database does not answer it is retried. After that, and after a clock jump, every lease is extended at
     * once: the reaper waits one round for that.
     */
    private boolean beatIfDue() {
        long now = nanoTime.getAsLong();
        boolean failing = health.isFailing();
        if (!failing && now - beatenNanos < beatNanos) {
            return true;
        }
        try {
            boolean extendAll = beat.send().getAsBoolean();
            beatenNanos = now;
            if (failing || extendAll) {
                active.all().forEach(RunningTask::extendSoon);
            } else if (!beat.hearsOfCancels().getAsBoolean()) {
                lookForLost();
            }
            return true;
        } catch (DataAccessException e) {
            health.failed(e);
            return false;
        }
    }

    /** Costs no write. Each lease that it finds is checked by an extension, which decides. */
    private void lookForLost() {
        Collection<Lease> held = active.all().stream().map(RunningTask::lease).toList();
        if (!held.isEmpty()) {
            for (long id : leases.findLost(held)) {
                RunningTask run = active.find(id);
                if (run != null) {
                    run.extendSoon();
                }
            }
        }
    }

    private long nap() {
        long now = nanoTime.getAsLong();
        long nap = Math.max(0, beatNanos - (now - beatenNanos));
        if (!active.isEmpty()) {
            nap = Math.min(LONGEST_NAP, nap);
        }
        for (RunningTask run : active.all()) {
            nap = Math.min(nap, run.nanosToExtension(now));
        }
        return Math.max(SHORTEST_NAP, nap);
    }
}
