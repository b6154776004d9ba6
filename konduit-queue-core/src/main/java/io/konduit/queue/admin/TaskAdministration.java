package io.konduit.queue.admin;

import io.konduit.queue.TaskId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Operators' decisions about tasks. Every decision names its actor and is stored together with an audit row. It either
 * takes effect or throws an exception that says why not. {@link QueueInspection} is the read side.
 */
public interface TaskAdministration {
    /** Lets a held task run again. */
    void release(TaskId id, String actor, @Nullable String note);

    /** Decides that a held task must not run again. */
    void fail(TaskId id, String actor, @Nullable String note);

    /** Gives a failed task this many more attempts. */
    void retry(TaskId id, int attempts, String actor, @Nullable String note);

    /** Cancels a task permanently, whatever its state. */
    void cancel(TaskId id, String actor, @Nullable String note);

    /** Moves the start of a waiting task; a start in the past means now. */
    void reschedule(TaskId id, Instant runAt, String actor, @Nullable String note);

    /** Lets a waiting task start after this delay by the database's clock. */
    void reschedule(TaskId id, Duration delay, String actor, @Nullable String note);

    /** The dry run of {@link #apply}: how many tasks match, counted a page at a time. */
    BulkResult count(BulkAction action, TaskFilter filter);

    /**
     * Applies one action to the matching tasks that exist when the call begins. Each batch of 500 is its own
     * transaction with an incident per task and one audit entry, so the call cannot be part of a transaction. Locked
     * rows are skipped, not waited for.
     *
     * @param limit the call ends after this many changed tasks; at most 100 000
     */
    BulkResult apply(BulkAction action, TaskFilter filter, int limit, String actor, @Nullable String note);

    /** Reclaims all orphans at once, on behalf of the actor. {@link QueueInspection#orphans} is the dry run. */
    default ReclaimResult reclaimNow(String actor) {
        return reclaimNow(actor, null);
    }

    /** The same with a note; each batch has an audit entry. */
    ReclaimResult reclaimNow(String actor, @Nullable String note);

    /**
     * Takes all abandoned tasks from their workers now, on behalf of the actor: in batches, with one incident per task. {@link QueueInspection#abandoned} is the dry run.
     */
    default ReclaimResult cleanAbandonedNow(String actor) {
        return cleanAbandonedNow(actor, null);
    }

    /** The same with a note; each batch has an audit entry. */
    ReclaimResult cleanAbandonedNow(String actor, @Nullable String note);
}
