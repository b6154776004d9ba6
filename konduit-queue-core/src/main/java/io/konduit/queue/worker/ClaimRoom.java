package io.konduit.queue.worker;

import java.util.function.LongSupplier;

/** How many tasks a slot group may claim now: its slots, what it claims ahead of them, and the payload budget. */
final class ClaimRoom {
    /** Returned instead of a number of tasks: room has just become free. */
    static final int LOOK_AGAIN = -1;

    private final int slots;
    private final PayloadBudget budget;
    private final PollSignal signal;
    private final LongSupplier nanoTime;
    private final ClaimAhead ahead;
    private final SlotGroupLoad load;
    private volatile Wanted wanted = new Wanted(0, 0);

    /** The load at or below which another claim is worthwhile. */
    private record Wanted(int ahead, int occupied) {}

    ClaimRoom(int slots, PayloadBudget budget, PollSignal signal, LongSupplier nanoTime) {
        this.slots = slots;
        this.budget = budget;
        this.signal = signal;
        this.nanoTime = nanoTime;
        this.ahead = new ClaimAhead(slots);
        this.load = new SlotGroupLoad(slots, this::settled, this::signalRoom, nanoTime);
    }

    ClaimAhead ahead() {
        return ahead;
    }

    SlotGroupLoad load() {
        return load;
    }

    /**
     * The room for a claim; zero when it is too little for a worthwhile one. The end of a run then signals room.
     *
     * @return a number of tasks, or {@link #LOOK_AGAIN}
     */
    int free() {
        return memory(room());
    }

    /** The outcome of a lease of this slot group is written, refused or given up. */
    private void settled(RunningTask run) {
        if (!run.hasRun()) {
            // given back
        } else if (run.task().reapable()) {
            ahead.ran(run.took().toNanos());
        } else {
            ahead.ranOnlyOnce();
        }
        signalRoom();
    }

    /** Wakes the claiming thread once enough room is free for a worthwhile claim. */
    private void signalRoom() {
        if (!signal.isRoomWanted()) {
            return;
        }
        Wanted room = wanted;
        if (load.occupied(room.ahead()) <= room.occupied()) {
            signal.roomMade();
        }
    }

    private int room() {
        int allowance = ahead.allowance(nanoTime.getAsLong());
        int target = slots + allowance;
        int worthwhile = target > 2 * slots ? target / 2 : 1;
        int room = target - load.occupied(allowance);
        if (room >= worthwhile) {
            return room;
        }
        wanted = new Wanted(allowance, target - worthwhile);
        signal.wantRoom();
        return load.occupied(allowance) > target - worthwhile ? 0 : LOOK_AGAIN;
    }

    /** How many of these tasks fit into the payload budget. */
    private int memory(int room) {
        if (room <= 0) {
            return room;
        }
        int rows = budget.rows(room);
        if (rows == 0) {
            signal.wantRoom();
        }
        return rows;
    }
}
