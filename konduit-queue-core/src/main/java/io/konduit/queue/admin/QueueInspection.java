package io.konduit.queue.admin;

import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Read access for operators. Changes nothing. Each method runs a small, fixed number of statements whose cost does not
 * grow with backlog or history. They run on the application's connections, so they never delay a lease.
 *
 * <p>A {@code limit} is 1 to 1 000 rows.
 */
public interface QueueInspection {
    /** The overview. */
    QueueOverview overview();

    /** Every queue that has tasks, is served or is paused, by name. */
    List<QueueState> queues();

    /** The queues that are paused, by name. */
    List<PausedQueue> paused();

    /** Who paused and resumed queues, newest first. */
    List<QueueDecision> decisions(int limit);

    /** The workers, most recent heartbeat first, and instances that only run the chores. */
    List<RegisteredWorker> workers();

    /** One task with its full history. */
    TaskStory story(TaskId id);

    /**
     * Payloads and checkpoints, for callers with access to them, except those larger than {@code maxBytes} in the
     * database.
     */
    Map<TaskId, TaskContent> contents(Collection<TaskId> ids, int maxBytes);

    /** The matching tasks, newest first; failed ones by the time they failed. */
    TaskPage search(TaskSearch search, Cursor before, int limit);

    /** The review inbox: held tasks by id, after {@code after} if given. */
    List<HeldTask> held(@Nullable TaskId after, int limit);

    /** Live tasks that have lost more than this many workers, highest count first. */
    List<Task> zombiesAbove(int count, int limit);

    /** How many workers a task may lose before it is reported. */
    int zombieLimit();

    /** The orphans that a reclaim would take now, oldest first. */
    List<Orphan> orphans(int limit);

    /** The tasks that a clean-up of abandoned leases would take now; empty when that is disabled. */
    AbandonedTasks abandoned(int limit);

    /** The incidents of the last {@code period}, newest first, before {@code before}. */
    List<Incident> incidents(Duration period, Cursor before, int limit);

    /** The incidents of one task, newest first. */
    List<Incident> incidentsOf(TaskId id, int limit);

    /**
     * The incidents of the last {@code period} by kind, with what became of the tasks. Counts up to 100 000 incidents.
     */
    List<IncidentCount> countIncidents(Duration period);

    /** The incidents of the last days, oldest day first; a day without any is left out. Counts up to 2 000 a day. */
    List<IncidentDay> incidentsPerDay(int days);

    /** The tasks that ended in each minute of the last hour, oldest minute first; the last one is not over yet. */
    List<MinutePace> lastHour();

    /** The newest tasks by state, queue and type. */
    TaskGroups groups();

    /** Bulk and worker operations of operators, newest first, before entry {@code beforeId}. */
    List<AuditEntry> audit(long beforeId, int limit);
}
