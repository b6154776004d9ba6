package io.konduit.queue;

import java.util.Optional;

/** What a handler may ask and tell about the task it is running. An optional parameter of a {@link JobHandler} method. */
public interface TaskContext {

    TaskId id();

    String type();

    String queue();

    /** The number of this attempt, from 1. A claim that was given back uncharged does not count. */
    int attempt();

    /** How many attempts the task has in all, without those that were given back uncharged. */
    int maxAttempts();

    /** How often a worker was lost while it ran this task. */
    int zombieCount();

    /** Whether an earlier run ended with the loss of its worker, so that its outside effects may have happened. */
    boolean recovering();

    /**
     * A number that grows with every claim of this task, also over a failover of the database that lost commits: hand it to
     * systems that can refuse an older one. It goes up by one with a claim, and leaps after a failover.
     */
    long fencingToken();

    /** The same for every attempt at this task: hand it to systems that recognise a repeated request. */
    String idempotencyKey();

    /**
     * Stores progress as JSON, so that the next attempt can go on from there. Inside a transaction on the queue's data
     * source it commits with it.
     *
     * @throws LeaseLostException if this run does not hold the task any more
     * @throws TaskHandedOverError if this worker was told to drain: another one goes on from this checkpoint. Inside a
     *     transaction its commit throws it instead. Let it pass. Never for a task that is not reapable
     */
    void checkpoint(Object state);

    /** The progress that the last checkpoint stored, in this run or an earlier one. */
    <T> Optional<T> lastCheckpoint(Class<T> type);

    /** Whether the handler should end early: its lease is lost, the task was cancelled, or its time is up. */
    boolean cancelled();

    /** Whether this worker was told to drain: a good time for a checkpoint, after which another worker goes on. */
    default boolean draining() {
        return false;
    }

    /**
     * Asks the database whether this run still holds the task.
     *
     * @throws LeaseLostException if it does not
     */
    void assertLease();
}
