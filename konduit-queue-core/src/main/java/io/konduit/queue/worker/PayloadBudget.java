package io.konduit.queue.worker;

import io.konduit.queue.store.ClaimedTask;
import java.util.List;

/**
 * How much of this worker's memory one lane's claims may fill. What waits and what runs in the whole worker counts, so
 * that quick tasks, of which thousands are claimed ahead, cannot be followed by as many large ones. Used by the lane's
 * claiming thread only.
 */
final class PayloadBudget {
    private static final long LEAST = 1L << 20;
    private static final long MOST = 64L << 20;
    private static final int SHARE_OF_HEAP = 16;

    private final long whole;
    private final int lanes;
    private final ActiveLeases active;
    private double averageBytes;

    /**
     * @param whole what the worker may hold
     * @param lanes how many claim at the same time
     */
    PayloadBudget(long whole, int lanes, ActiveLeases active) {
        this.whole = whole;
        this.lanes = lanes;
        this.active = active;
    }

    /** What a worker may hold in a JVM with so much memory: a sixteenth, from 1 to 64 MiB. */
    static long ofHeap(long maxMemory) {
        return Math.max(LEAST, Math.min(MOST, maxMemory / SHARE_OF_HEAP));
    }

    /** How many bytes the next claim may bring. */
    long left() {
        return Math.max(0, Math.min(whole / lanes, whole - active.bytes()));
    }

    /**
     * How many tasks of the usual size the next claim may bring; zero when it has to wait for room. One while anything is
     * left: the next task may be smaller than the last ones, and a single one too many does no harm.
     */
    int rows(int room) {
        if (room == 0 || averageBytes < 1) {
            return room;
        }
        long left = left();
        int fitting = (int) Math.min(room, left / averageBytes);
        return left > 0 || active.isEmpty() ? Math.max(1, fitting) : fitting;
    }

    void learn(List<ClaimedTask> claimed) {
        if (!claimed.isEmpty()) {
            double bytes = claimed.stream().mapToLong(ClaimedTask::size).sum();
            averageBytes = averageBytes == 0 ? bytes / claimed.size() : (averageBytes + bytes / claimed.size()) / 2;
        }
    }
}
