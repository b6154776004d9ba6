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
    private static final int SHRINK = 16;

    private final long whole;
    private final int lanes;
    private final ActiveLeases active;
    private double averageBytes;
    private int asked = Integer.MAX_VALUE;
    private int limit = Integer.MAX_VALUE;

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
        int most = Math.min(room, limit);
        if (most == 0 || averageBytes < 1) {
            asked = most;
            return most;
        }
        long left = left();
        int fitting = (int) Math.min(most, left / averageBytes);
        asked = left > 0 || active.isEmpty() ? Math.max(1, fitting) : fitting;
        return asked;
    }

    /**
     * The last claim failed. It may have been too much to read or to send within the time of a statement, so the next ones
     * ask for less, down to a single task. Without that, a backlog of large payloads could time out each claim for ever.
     */
    void failed() {
        limit = Math.max(1, asked / SHRINK);
    }

    void learn(List<ClaimedTask> claimed) {
        limit = limit > Integer.MAX_VALUE / 2 ? Integer.MAX_VALUE : limit * 2;
        if (!claimed.isEmpty()) {
            double bytes = claimed.stream().mapToLong(ClaimedTask::size).sum();
            averageBytes = averageBytes == 0 ? bytes / claimed.size() : (averageBytes + bytes / claimed.size()) / 2;
        }
    }
}
