package io.konduit.queue.failover;

import io.konduit.queue.TaskId;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/** The last tasks whose commit the database has acknowledged to this instance, with timestamps. */
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

    /** Whether a task was acknowledged at or after this time. */
    synchronized boolean hasSince(long oldestNanos) {
        return size > 0 && nanos[Math.floorMod(next - 1, CAPACITY)] - oldestNanos >= 0;
    }

    /** The tasks acknowledged at or after this time, oldest first, each with its time. */
    synchronized Map<TaskId, Long> since(long oldestNanos) {
        Map<TaskId, Long> found = new LinkedHashMap<>();
        for (int i = size; i > 0; i--) {
            int index = Math.floorMod(next - i, CAPACITY);
            if (nanos[index] - oldestNanos >= 0) {
                found.put(TaskId.of(ids[index]), nanos[index]);
            }
        }
        return found;
    }

    /** Forgets tasks that are known to be gone. */
    synchronized void forget(Collection<TaskId> gone) {
        Set<TaskId> forgotten = Set.copyOf(gone);
        int first = next - size;
        int kept = 0;
        for (int i = 0; i < size; i++) {
            int from = Math.floorMod(first + i, CAPACITY);
            if (!forgotten.contains(TaskId.of(ids[from]))) {
                int to = Math.floorMod(first + kept, CAPACITY);
                ids[to] = ids[from];
                nanos[to] = nanos[from];
                kept++;
            }
        }
        next = Math.floorMod(first + kept, CAPACITY);
        size = kept;
    }
}
