package io.konduit.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The running task as its handler sees it. An optional parameter of a {@link JobHandler} method. */
public interface TaskContext {

    TaskId id();

    String type();

    String queue();

    /** The number of this attempt, from 1. A claim that was given back uncharged does not count. */
    int attempt();

    /** The maximum number of attempts, not counting claims that were given back uncharged. */
    int maxAttempts();

    /** How many workers were lost while running this task. */
    int zombieCount();

    /** Whether a worker was lost during an earlier run. That run's external effects may have happened. */
    boolean recovering();

    /**
     * A number that increases with every claim of this task, even across a database failover that lost commits. Pass it
     * to systems that can reject a lower token. It increases by one per claim, and by more after a failover.
     */
    long fencingToken();

    /** A key that is the same for every attempt at this task. Pass it to systems that detect repeated requests. */
    String idempotencyKey();

    /**
     * Stores progress as JSON so that the next attempt can resume from it. Inside a transaction on the queue's data
     * source, the checkpoint commits with that transaction.
     *
     * @throws LeaseLostException if this run no longer holds the lease
     * @throws TaskHandedOverError if this worker is draining: another worker resumes from this checkpoint. Inside a
     *     transaction, the commit throws it instead. Do not catch it. Never thrown for a task that is not reapable
     */
    void checkpoint(Object state);

    /**
     * Ends this run, and lets the task come back after this time, by the database's clock. The attempt is not charged,
     * and there is no limit to how often a task is snoozed. Never returns. What this run has committed stays; a
     * transaction that is open rolls back, also that of a transactional handler.
     *
     * @throws TaskSnoozedError always, unless one of the following: do not catch it
     * @throws LeaseLostException if this run is known to have lost its lease
     * @throws InvalidTaskException if the duration is under 1 ms or over 36500 days
     */
    void snooze(Duration duration);

    /** The last stored checkpoint, from this run or an earlier one. */
    <T> Optional<T> lastCheckpoint(Class<T> type);

    /** The time that a {@link Recurring} or {@link Schedules scheduled} task is for; empty for any other task. */
    default Optional<Instant> scheduledFor() {
        return Optional.empty();
    }

    /** Whether the handler should stop early because the lease is lost, the task was cancelled or its time limit has passed. */
    boolean cancelled();

    /** Whether this worker is draining. Store a checkpoint soon: another worker resumes from it. */
    default boolean draining() {
        return false;
    }

    /**
     * Checks in the database that this run still holds the lease.
     *
     * @throws LeaseLostException if it does not
     */
    void assertLease();
}
