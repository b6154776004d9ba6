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

/**
 * Where to look for due tasks: each queue at each priority, best priority first, the queues taking turns. While a
 * backlog is worked off, a lower bound skips the index entries of rows already gone, which a long transaction of
 * somebody else may keep alive. It is a hint: it is dropped every two seconds and as soon as a claim comes back short.
 */
final class ClaimBounds {
    private static final String NONE = "-infinity";
    /** A task may be committed a while after its moment: one enqueued lately may come to light behind the bound. */
    private static final Duration SLACK = Duration.ofSeconds(1);

    /** What has waited for longer was committed long ago; the few exceptions are found when the bounds are dropped. */
    private static final Duration SETTLED = Duration.ofSeconds(30);

    private static final long LIFE_NANOS = Duration.ofSeconds(2).toNanos();

    private final List<String> queues;
    private final LongSupplier nanoTime;
    private final Map<Place, OffsetDateTime> bounds = new HashMap<>();
    private long sinceNanos;
    private int turn;

    private record Place(String queue, int priority) {}

    ClaimBounds(List<String> queues, LongSupplier nanoTime) {
        this.queues = queues;
        this.nanoTime = nanoTime;
        this.sinceNanos = nanoTime.getAsLong();
    }

    List<Probe> probes() {
        if (nanoTime.getAsLong() - sinceNanos > LIFE_NANOS) {
            reset();
        }
        turn = (turn + 1) % queues.size();
        List<Probe> probes = new ArrayList<>();
        for (Priority priority : Priority.values()) {
            for (int i = 0; i < queues.size(); i++) {
                Place place = new Place(queues.get((turn + i) % queues.size()), priority.level());
                OffsetDateTime bound = bounds.get(place);
                probes.add(new Probe(place.queue, place.priority, bound == null ? NONE : bound.toString()));
            }
        }
        return probes;
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
