package io.konduit.queue.failover;

import io.konduit.queue.TaskId;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The last tasks whose enqueueing the database has acknowledged to this instance, and when. */
public final class AcknowledgedTasks {
    /** How many are remembered. */
    public static final int CAPACITY = 10_000;

    private final LongSupplier nanoTime;
    private long[] ids = {};
    private long[] nanos = {};
    private int size;
    private int next;

    public AcknowledgedTasks(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The database has committed this task. */
    public void add(TaskId id) {
        addAll(List.of(id));
    }

    /** The database has committed these tasks. */
    public synchronized void addAll(Collection<TaskId> acknowledged) {
        if (ids.length == 0) {
            ids = new long[CAPACITY];
            nanos = new long[CAPACITY];
        }
        long now = nanoTime.getAsLong();
        for (TaskId id : acknowledged) {
            ids[next] = id.value();
            nanos[next] = now;
            next = (next + 1) % CAPACITY;
            size = Math.min(CAPACITY, size + 1);
        }
    }

    /** Whether one is remembered that was acknowledged no longer ago than this. */
    synchronized boolean hasSince(long oldestNanos) {
        return size > 0 && nanos[Math.floorMod(next - 1, CAPACITY)] - oldestNanos >= 0;
    }

    /** Those acknowledged no longer ago than this, oldest first, each with its time; none is remembered any more. */
    synchronized Map<TaskId, Long> takeSince(long oldestNanos) {
        Map<TaskId, Long> taken = new LinkedHashMap<>();
        for (int i = size; i > 0; i--) {
            int place = Math.floorMod(next - i, CAPACITY);
            if (nanos[place] - oldestNanos >= 0) {
                taken.put(TaskId.of(ids[place]), nanos[place]);
            }
        }
        size = 0;
        return taken;
    }
}
