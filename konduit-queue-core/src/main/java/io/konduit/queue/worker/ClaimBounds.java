package io.konduit.queue.worker;

import io.konduit.queue.Priority;
import io.konduit.queue.store.ClaimRequest.Probe;
import io.konduit.queue.store.ClaimedTask;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where to look for due tasks: each queue at each priority, best priority first, the queues taking turns. While a
 * backlog is worked off, a lower bound skips the index entries of rows already gone, which a long transaction of
 * somebody else may keep alive. It is a hint: it is dropped every two seconds and as soon as a claim comes back short.
 *
 * <p>A look that took long has read many rows that this worker cannot take, such as tasks of types that only newer
 * workers know. It proves that nothing else was due then, so later looks begin where it ended, less a second. What comes
 * to light before that, such as an old task that another worker gives back, is found by the next look at everything:
 * after twenty times what the last one took, ten seconds at most.
 */
final class ClaimBounds {
    private static final String NONE = "-infinity";
    /** A task may be committed a while after its moment: one enqueued lately may come to light behind the bound. */
    private static final Duration SLACK = Duration.ofSeconds(1);

    /** What has waited for longer was committed long ago; the few exceptions are found when the bounds are dropped. */
    private static final Duration SETTLED = Duration.ofSeconds(30);

    private static final long LIFE_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long LONG_LOOK_NANOS = Duration.ofMillis(20).toNanos();
    private static final int TIMES_A_LOOK = 20;
    private static final long LONGEST_LIFE_OF_A_LOOK = Duration.ofSeconds(10).toNanos();

    private final List<String> queues;
    private final LongSupplier nanoTime;
    private final Map<Place, OffsetDateTime> bounds = new HashMap<>();
    private final Map<Place, Look> looks = new HashMap<>();
    private long sinceNanos;
    private int turn;

    private record Place(String queue, int priority) {}

    /** A look at all that was due in a place, sent at that time. */
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
                Place place = new Place(queues.get((turn + i) % queues.size()), priority.level());
                OffsetDateTime bound = bounds.get(place);
                probes.add(new Probe(
                        place.queue, place.priority, bound == null ? NONE : bound.toString(), searched(place, now)));
            }
        }
        return probes;
    }

    private @Nullable Duration searched(Place place, long now) {
        Look look = looks.get(place);
        return look != null && look.serves(now)
                ? Duration.ofNanos(now - look.sentNanos()).plus(SLACK)
                : null;
    }

    /**
     * Learns from a claim.
     *
     * @param full whether more may have been due than it brought
     * @param sentNanos when it was sent
     */
    void looked(List<Probe> probes, List<ClaimedTask> tasks, boolean full, long sentNanos) {
        Look look = new Look(sentNanos, nanoTime.getAsLong() - sentNanos);
        for (Probe probe : probes.subList(0, full ? indexOfLast(probes, tasks) : probes.size())) {
            Place place = new Place(probe.queue(), probe.priority());
            if (probe.searched() != null || !probe.lowerBound().equals(NONE)) {
                continue;
            }
            if (look.tookNanos() > LONG_LOOK_NANOS) {
                looks.put(place, look);
            } else {
                looks.remove(place);
            }
        }
        if (full) {
            claimed(tasks);
        } else {
            reset();
        }
    }

    /** The last probe that brought something: it was not read to its end, those before it were. */
    private static int indexOfLast(List<Probe> probes, List<ClaimedTask> tasks) {
        int last = 0;
        for (int i = 0; i < probes.size(); i++) {
            Probe probe = probes.get(i);
            if (tasks.stream()
                    .anyMatch(task ->
                            task.priority() == probe.priority() && task.queue().equals(probe.queue()))) {
                last = i;
            }
        }
        return last;
    }

    /** Learns from a claim that came back full. */
    void claimed(List<ClaimedTask> tasks) {
        for (ClaimedTask task : tasks) {
            boolean settled = task.waited().compareTo(SETTLED) >= 0;
            bounds.put(
                    new Place(task.queue(), task.priority()),
                    settled ? task.runAt() : task.runAt().minus(SLACK));
        }
    }

    /** A claim came back short: the next one looks everywhere. */
    void reset() {
        bounds.clear();
        sinceNanos = nanoTime.getAsLong();
    }
}
