package io.konduit.queue.worker;

import io.konduit.queue.store.ClaimedTask;
import java.util.List;

/**
 * Limits the memory that one slot group's claims may fill. Buffered and running tasks of the whole worker count. So
 * thousands of quick tasks claimed ahead cannot be followed by as many large ones. Used only by the slot group's
 * claiming thread.
 */
final class PayloadBudget {
    private static final long MIN_BYTES = 1L << 20;
    private static final long MAX_BYTES = 64L << 20;
    private static final int SHARE_OF_HEAP = 16;
    private static final int SHRINK = 16;

    private final long whole;
    private final int groups;
    private final ActiveLeases active;
    private double averageBytes;
    private int asked = Integer.MAX_VALUE;
    private int limit = Integer.MAX_VALUE;

    /**
     * @param whole what the worker may hold
     * @param groups how many slot groups claim at the same time
     */
    PayloadBudget(long whole, int groups, ActiveLeases active) {
        this.whole = whole;
        this.groups = groups;
        this.active = active;
    }

    /** The budget of a worker in a JVM with this much memory: a sixteenth, from 1 to 64 MiB. */
    static long ofHeap(long maxMemory) {
        return Math.max(MIN_BYTES, Math.min(MAX_BYTES, maxMemory / SHARE_OF_HEAP));
    }

    /** How many bytes the next claim may return. */
    long left() {
        return Math.max(0, Math.min(whole / groups, whole - active.bytes()));
    }

    /**
     * How many tasks of the average size the next claim may return; zero when it has to wait for room. At least one
     * while any budget is left: the next task may be smaller than the last ones, and one task too many does no harm.
     */
    int rows(int room) {
        int max = Math.min(room, limit);
        if (max == 0 || averageBytes < 1) {
            asked = max;
            return max;
        }
        long left = left();
        int fitting = (int) Math.min(max, left / averageBytes);
        asked = left > 0 || active.isEmpty() ? Math.max(1, fitting) : fitting;
        return asked;
    }

    /**
     * The last claim failed. It may have been too large for the statement timeout, so the next claims ask for less,
     * down to a single task. Otherwise a backlog of large payloads could time out every claim.
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
