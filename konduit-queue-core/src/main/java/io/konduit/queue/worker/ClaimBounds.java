package io.konduit.queue.worker;

import io.konduit.queue.Priority;
import io.konduit.queue.store.ClaimRequest.Probe;
import io.konduit.queue.store.ClaimedTask;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides where to look for due tasks: each queue at each priority, best priority first, queues in turn. While a
 * backlog drains, a lower bound skips the index entries of deleted rows, which a long transaction elsewhere may keep
 * alive. The bound is a hint. It is dropped every two seconds and whenever a claim returns fewer tasks than it asked
 * for.
 *
 * <p>A slow probe has read many rows that this worker cannot take, such as tasks of types that only newer workers know.
 * It proves that nothing else was due at that time, so later probes start where it ended, less one second. Older tasks
 * that appear behind that point, such as one that another worker gives back, are found by the next full probe. That one
 * follows after twenty times the duration of the last one, at most ten seconds.
 */
final class ClaimBounds {
    /** A task may be committed some time after its run_at, so a new task can appear behind the bound. */
    private static final Duration SLACK = Duration.ofSeconds(1);

    /**
     * Tasks that have waited longer were committed long ago. The few exceptions are found when the bounds are dropped.
     */
    private static final Duration SETTLED = Duration.ofSeconds(30);

    private static final long LIFE_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long LONG_LOOK_NANOS = Duration.ofMillis(20).toNanos();
    private static final int TIMES_A_LOOK = 20;
    private static final long LONGEST_LIFE_OF_A_LOOK = Duration.ofSeconds(10).toNanos();

    private final List<String> queues;
    private final LongSupplier nanoTime;
    private final Map<QueuePriority, OffsetDateTime> bounds = new HashMap<>();
    private final Map<QueuePriority, Look> looks = new HashMap<>();
    private long sinceNanos;
    private int turn;

    private record QueuePriority(String queue, int priority) {}

    /** A full probe of one queue at one priority, sent at this time. */
    private record Look(long sentNanos, long tookNanos) {
        boolean serves(long now) {
            return now - sentNanos < Math.min(LONGEST_LIFE_OF_A_LOOK, TIMES_A_LOOK * tookNanos);
        }
    }

    ClaimBounds(List<String> queues, LongSupplier nanoTime) {
        this.queues = queues;
        this.nanoTime = nanoTime;
        this.sinceNanos = nanoTime.getAsLong();
    }

    List<Probe> probes() {
        long now = nanoTime.getAsLong();
        if (now - sinceNanos > LIFE_NANOS) {
            reset();
        }
        turn = (turn + 1) % queues.size();
        List<Probe> probes = new ArrayList<>();
        for (Priority priority : Priority.values()) {
            for (int i = 0; i < queues.size(); i++) {
                QueuePriority key = new QueuePriority(queues.get((turn + i) % queues.size()), priority.level());
                OffsetDateTime bound = bounds.get(key);
                probes.add(new Probe(
                        key.queue,
                        key.priority,
                        bound == null ? Probe.UNBOUNDED : bound.toString(),
                        searched(key, now)));
            }
        }
        return probes;
    }

    private @Nullable Duration searched(QueuePriority key, long now) {
        Look look = looks.get(key);
        return look != null && look.serves(now)
                ? Duration.ofNanos(now - look.sentNanos()).plus(SLACK)
                : null;
    }

    /**
     * Learns from a claim.
     *
     * @param full whether more tasks may have been due than it returned
     * @param sentNanos when it was sent
     */
    void looked(List<Probe> probes, List<ClaimedTask> tasks, boolean full, long sentNanos) {
        Look look = new Look(sentNanos, nanoTime.getAsLong() - sentNanos);
        for (Probe probe : probes.subList(0, full ? indexOfLast(probes, tasks) : probes.size())) {
            QueuePriority key = new QueuePriority(probe.queue(), probe.priority());
            if (probe.searched() != null || !probe.lowerBound().equals(Probe.UNBOUNDED)) {
                continue;
            }
            if (look.tookNanos() > LONG_LOOK_NANOS) {
                looks.put(key, look);
            } else {
                looks.remove(key);
            }
        }
        if (full) {
            claimed(tasks);
        } else {
            reset();
        }
    }

    /** The index of the last probe that found something. Earlier probes were read to their end, this one was not. */
    private static int indexOfLast(List<Probe> probes, List<ClaimedTask> tasks) {
        Set<QueuePriority> found = new HashSet<>();
        lastOfEachRun(tasks).forEach(task -> found.add(key(task)));
        int last = 0;
        for (int i = 0; i < probes.size(); i++) {
            Probe probe = probes.get(i);
            if (found.contains(new QueuePriority(probe.queue(), probe.priority()))) {
                last = i;
            }
        }
        return last;
    }

    /**
     * The last task of each run of tasks with the same queue and priority. Most claims return thousands from one queue.
     */
    private static List<ClaimedTask> lastOfEachRun(List<ClaimedTask> tasks) {
        List<ClaimedTask> last = new ArrayList<>();
        for (int i = 0; i < tasks.size(); i++) {
            ClaimedTask task = tasks.get(i);
            ClaimedTask next = i + 1 < tasks.size() ? tasks.get(i + 1) : null;
            if (next == null
                    || task.priority() != next.priority()
                    || !task.queue().equals(next.queue())) {
                last.add(task);
            }
        }
        return last;
    }

    private static QueuePriority key(ClaimedTask task) {
        return new QueuePriority(task.queue(), task.priority());
    }

    /** Learns from a claim that reached its limit. */
    void claimed(List<ClaimedTask> tasks) {
        for (ClaimedTask task : lastOfEachRun(tasks)) {
            boolean settled = task.waited().compareTo(SETTLED) >= 0;
            bounds.put(key(task), settled ? task.runAt() : task.runAt().minus(SLACK));
        }
    }

    /** A claim stayed below its limit: the next one has no lower bounds. */
    void reset() {
        bounds.clear();
        sinceNanos = nanoTime.getAsLong();
    }
}
