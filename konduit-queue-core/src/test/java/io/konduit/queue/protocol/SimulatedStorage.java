package io.konduit.queue.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;

/** Hot and history rows with the newest commits on top, so that a failover can lose some of them. */
final class SimulatedStorage {
    private static final int COMMITS_AT_RISK = 3;

    private final TaskRow[] hot;
    private final TaskRow[] history;
    private final Deque<List<TaskRow>> commits = new ArrayDeque<>();
    private final Invariants invariants;
    private boolean beginning = true;

    SimulatedStorage(List<TaskRow> enqueued, Invariants invariants) {
        this.invariants = invariants;
        hot = enqueued.toArray(TaskRow[]::new);
        history = new TaskRow[hot.length];
    }

    int size() {
        return hot.length;
    }

    /** The hot row, or null. */
    TaskRow hot(int id) {
        return hot[id];
    }

    /** The history row, or null. */
    TaskRow history(int id) {
        return history[id];
    }

    /** The row wherever it is. */
    TaskRow any(int id) {
        return hot[id] != null ? hot[id] : history[id];
    }

    /** Begins the commit to which the following changes belong; one without changes is none. */
    void begin() {
        beginning = true;
    }

    /** Changes a row as part of the current commit; {@code run} is the run for which it happens, 0 for none. */
    void change(Transition transition, TaskRow row, long run, Runnable write) {
        if (beginning) {
            beginning = false;
            commits.addLast(new ArrayList<>(2));
            if (commits.size() > COMMITS_AT_RISK) {
                commits.removeFirst();
            }
        }
        TaskRow before = row.copy();
        commits.getLast().add(before);
        write.run();
        invariants.changed(transition, before, row, run);
    }

    /** Moves a row to history in its final state. */
    void finish(TaskRow row, TaskRow.Status status) {
        row.status = status;
        row.clearLease();
        hot[row.id] = null;
        history[row.id] = row;
    }

    boolean newestCommitIsClaim() {
        return !commits.isEmpty()
                && commits.getLast().stream().allMatch(before -> before.status == TaskRow.Status.PENDING);
    }

    /** Puts everything back to before the newest commits and returns how many there were to lose; locks are gone as well. */
    int rollBack(int most) {
        int lost = 0;
        while (lost < most && !commits.isEmpty()) {
            List<TaskRow> changed = commits.removeLast();
            for (int i = changed.size() - 1; i >= 0; i--) {
                TaskRow before = changed.get(i);
                hot[before.id] = before.status.inHistory() ? null : before;
                history[before.id] = before.status.inHistory() ? before : null;
            }
            lost++;
        }
        commits.clear();
        beginning = true;
        releaseLocks();
        return lost;
    }

    /** Whether no task will change any more without a person. */
    boolean atRest() {
        for (TaskRow row : hot) {
            if (row != null && (row.status == TaskRow.Status.PENDING || row.status == TaskRow.Status.RUNNING)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return IntStream.range(0, hot.length).mapToObj(this::any).toList().toString();
    }

    void releaseLocks() {
        for (TaskRow row : hot) {
            if (row != null) {
                row.lockedByTransaction = 0;
            }
        }
    }
}
