package io.konduit.queue.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Every run of a handler, as the simulation saw it with its own eyes. */
final class Runs {
    private final Map<Key, State> states = new HashMap<>();

    private boolean repeating;

    private record Key(long taskId, long epoch, UUID owner) {}

    /** How far a run has come. */
    enum State {
        BEGUN,
        /** The handler returned: its work is done. */
        RETURNED,
        /** The handler returned and its transaction, if it had one, is over; or it threw. */
        ENDED_WELL,
        ENDED_BADLY
    }

    void begun(long taskId, long epoch, UUID owner) {
        if (repeating) {
            states.putIfAbsent(new Key(taskId, epoch, owner), State.BEGUN);
        } else {
            states.put(new Key(taskId, epoch, owner), State.BEGUN);
        }
    }

    /** After a failover a worker may get a lease that it had: its two runs cannot be told apart, and both count. */
    void mayRepeat() {
        repeating = true;
    }

    void returned(long taskId, long epoch, UUID owner) {
        states.put(new Key(taskId, epoch, owner), State.RETURNED);
    }

    void ended(long taskId, long epoch, UUID owner) {
        states.computeIfPresent(
                new Key(taskId, epoch, owner),
                (key, state) -> state == State.RETURNED ? State.ENDED_WELL : State.ENDED_BADLY);
    }

    /** How many runs a task has had. */
    long count(long taskId) {
        return states.keySet().stream().filter(run -> run.taskId() == taskId).count();
    }

    @Nullable
    State of(long taskId, long epoch, @Nullable UUID owner) {
        return owner == null ? null : states.get(new Key(taskId, epoch, owner));
    }

    boolean hasReturned(long taskId, long epoch, @Nullable UUID owner) {
        State state = of(taskId, epoch, owner);
        return state == State.RETURNED || state == State.ENDED_WELL;
    }

    /** Also a run whose transaction could not begin, so that no handler was called. */
    boolean hasEnded(long taskId, long epoch, @Nullable UUID owner) {
        State state = of(taskId, epoch, owner);
        return state == null || state == State.ENDED_WELL || state == State.ENDED_BADLY;
    }
}
