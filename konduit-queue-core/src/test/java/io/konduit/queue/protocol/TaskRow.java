package io.konduit.queue.protocol;

import java.util.SplittableRandom;

/** One row of the simulated table, with the marks that only the invariants look at. */
final class TaskRow implements Cloneable {
    enum Status {
        PENDING,
        RUNNING,
        HELD,
        FAILED,
        COMPLETED,
        CANCELLED;

        boolean inHistory() {
            return this == COMPLETED || this == CANCELLED;
        }
    }

    final int id;
    final boolean reapable;
    final boolean transactional;
    /** A handler of this task brings its process down. */
    final boolean deadly;
    /** Only some workers have a handler for this task. */
    final boolean rare;

    Status status = Status.PENDING;
    long runAt;
    int attempts;
    int maxAttempts;
    int zombieCount;
    /** The zombie count that means quarantine; a release moves it up, because the count itself never falls. */
    int quarantineAt;

    long epoch;
    long owner;
    long lockedAt;
    long lockTimeoutAt;
    long lastCheckpointAt;
    /** The owner that completed the task, or that was running it when it was cancelled. */
    long finishedBy;
    /** The epoch to which the newest incident belongs. */
    long incidentEpoch;

    int incidents;
    int effects;
    int completionEffects;
    /** The transaction that has locked the row, 0 for none. */
    long lockedByTransaction;

    /** The run that holds the task, 0 for none. No guard may read this or anything below. */
    long holder;

    long lastRun;
    long completedRun;
    Transition lastEnd;
    int crashesSincePerson;
    boolean everAbandoned;

    private TaskRow(int id, boolean reapable, boolean transactional, boolean deadly, boolean rare) {
        this.id = id;
        this.reapable = reapable;
        this.transactional = transactional;
        this.deadly = deadly;
        this.rare = rare;
    }

    /** A task of a random kind, with the first of its attempts to come. */
    static TaskRow draw(int id, SplittableRandom random) {
        TaskRow row = new TaskRow(
                id, random.nextInt(4) > 0, random.nextInt(3) == 0, random.nextInt(12) == 0, random.nextInt(8) == 0);
        row.maxAttempts = 1 + random.nextInt(3);
        return row;
    }

    boolean locked() {
        return lockedByTransaction != 0;
    }

    void clearLease() {
        owner = 0;
        lockedAt = 0;
        lockTimeoutAt = 0;
        holder = 0;
    }

    TaskRow copy() {
        try {
            return (TaskRow) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public String toString() {
        return "task %d %s attempts %d/%d epoch %d zombies %d%s"
                .formatted(id, status, attempts, maxAttempts, epoch, zombieCount, reapable ? "" : " (not reapable)");
    }
}
