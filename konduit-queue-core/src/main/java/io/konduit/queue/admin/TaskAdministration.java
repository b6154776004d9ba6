package io.konduit.queue.admin;

import io.konduit.queue.DurationText;
import io.konduit.queue.HeldTask;
import io.konduit.queue.Incident;
import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskNotFoundException;
import io.konduit.queue.TaskStateException;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.recovery.AbandonedLeaseCleaner;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.recovery.ReclaimResult;
import io.konduit.queue.store.AdministrationRepository;
import io.konduit.queue.store.AuditRepository;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.AuditRepository.Entry;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.ReclaimRepository.Expired;
import io.konduit.queue.store.Start;
import io.konduit.queue.store.StartRepository.Moved;
import io.konduit.queue.store.TaskRepository;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DuplicateKeyException;

/**
 * What a person may see and decide. Every decision names its actor, is written together with an audit row, and either
 * happens or says why it cannot.
 */
public final class TaskAdministration {
    private static final Logger log = LoggerFactory.getLogger(TaskAdministration.class);
    private static final int MOST_ROWS = 1_000;
    private static final int MOST_ATTEMPTS = BulkAction.MOST_ATTEMPTS;
    private static final Duration LONGEST_PERIOD = Duration.ofDays(36_500);

    private final AdministrationRepository decisions;
    private final TaskRepository tasks;
    private final ReclaimRepository orphans;
    private final OrphanReclaimer reclaimer;
    private final AbandonedLeaseCleaner cleaner;
    private final Duration grace;
    private final Consumer<Set<String>> wakeUp;
    private final BulkTasks bulk;
    private final AuditRepository audit;

    public TaskAdministration(
            AdministrationRepository decisions,
            TaskRepository tasks,
            ReclaimRepository orphans,
            OrphanReclaimer reclaimer,
            AbandonedLeaseCleaner cleaner,
            Consumer<Set<String>> wakeUp) {
        this.decisions = decisions;
        this.tasks = tasks;
        this.orphans = orphans;
        this.reclaimer = reclaimer;
        this.cleaner = cleaner;
        this.grace = reclaimer.grace();
        this.wakeUp = wakeUp;
        this.bulk = new BulkTasks(decisions.bulk(), this::wake);
        this.audit = decisions.audit();
    }

    /** The review inbox: held tasks by id, after {@code after} if given. */
    public List<HeldTask> held(@Nullable TaskId after, int most) {
        return decisions.held(after == null ? Long.MIN_VALUE : after.value(), requirePage(most));
    }

    /** Live tasks that have lost more than so many workers, most first. */
    public List<Task> zombiesAbove(int count, int most) {
        return decisions.zombies(count, requirePage(most)).stream()
                .map(tasks::find)
                .flatMap(Optional::stream)
                .toList();
    }

    /** The evidence of the last {@code period}, newest first. */
    public List<Incident> incidents(Duration period, int most) {
        if (period.compareTo(Duration.ofMillis(1)) < 0 || period.compareTo(LONGEST_PERIOD) > 0) {
            throw new InvalidTaskException("Expected the period to be between 1ms and "
                    + DurationText.of(LONGEST_PERIOD) + ", but it is " + period + ".");
        }
        return decisions.incidents(period, Long.MAX_VALUE, requirePage(most));
    }

    /** The evidence of one task, newest first. */
    public List<Incident> incidentsOf(TaskId id, int most) {
        return decisions.incidentsOf(id, requirePage(most));
    }

    /** Lets a held task run again. */
    public void release(TaskId id, String actor, @Nullable String note) {
        requireText(actor, note);
        if (!decisions.release(id, actor, note)) {
            throw wrongState(id, "released", TaskStatus.HELD);
        }
        tell(id, "released", actor);
    }

    /** Says that a held task is not to run again. */
    public void fail(TaskId id, String actor, @Nullable String note) {
        requireText(actor, note);
        if (!decisions.failByHand(id, actor, note)) {
            throw wrongState(id, "failed", TaskStatus.HELD);
        }
        tell(id, "failed", actor);
    }

    /** Gives a failed task so many more attempts. */
    public void retry(TaskId id, int attempts, String actor, @Nullable String note) {
        requireText(actor, note);
        if (attempts < 1 || attempts > MOST_ATTEMPTS) {
            throw new InvalidTaskException(
                    "Expected 1 to " + MOST_ATTEMPTS + " more attempts, but found " + attempts + ".");
        }
        try {
            if (!decisions.retry(id, attempts, actor, note)) {
                throw wrongState(id, "retried", TaskStatus.FAILED);
            }
        } catch (DuplicateKeyException e) {
            throw new TaskStateException(
                    "Task " + id
                            + " cannot be retried: another live task has its unique key. Wait until that one has ended, or cancel it.");
        }
        tell(id, "retried", actor);
    }

    /** Takes a task back for good, whatever its state. */
    public void cancel(TaskId id, String actor, @Nullable String note) {
        requireText(actor, note);
        if (!tasks.cancel(id, actor, note)) {
            Task task = tasks.find(id).orElseThrow(() -> new TaskNotFoundException(id));
            throw new TaskStateException("Task " + id + " cannot be cancelled: it is " + task.status() + " already.");
        }
        tell(id, "cancelled", actor);
    }

    /** Moves the start of a waiting task; a start in the past means now. */
    public void reschedule(TaskId id, Instant runAt, String actor, @Nullable String note) {
        reschedule(id, Start.at(runAt), actor, note);
    }

    /** Lets a waiting task start when so much time has passed on the database's clock. */
    public void reschedule(TaskId id, Duration delay, String actor, @Nullable String note) {
        reschedule(id, Start.after(delay), actor, note);
    }

    private void reschedule(TaskId id, Start start, String actor, @Nullable String note) {
        requireText(actor, note);
        Moved moved = tasks.starts()
                .reschedule(id, start, actor, note)
                .orElseThrow(() -> wrongState(id, "rescheduled", TaskStatus.PENDING));
        log.info("Task {} was rescheduled by {}: it starts {}", id, actor, start);
        if (moved.due()) {
            wake(Set.of(moved.queue()));
        }
    }

    /** The dry run of {@link #apply}: how many tasks match, counted a page at a time. */
    public BulkResult count(BulkAction action, TaskFilter filter) {
        return bulk.count(action, filter);
    }

    /**
     * Does one thing to the tasks that match and are there when the call begins. Each batch of 500 is a transaction of its
     * own with an incident per task and one audit entry, so the call cannot be part of a transaction. Rows that somebody
     * has locked are skipped, not waited for.
     *
     * @param limit after so many changed tasks it ends; at most 100 000
     */
    public BulkResult apply(BulkAction action, TaskFilter filter, int limit, String actor, @Nullable String note) {
        requireText(actor, note);
        return bulk.apply(action, filter, limit, actor, note);
    }

    /** What people did to many tasks at once and to workers, newest first, before entry {@code beforeId}. */
    public List<Entry> audit(long beforeId, int most) {
        return audit.entries(beforeId, requirePage(most));
    }

    /** The dry run of {@link #reclaimNow}: what it would take back, oldest first. */
    public List<TaskId> orphans(int most) {
        return orphans.findExpired(orphans.moment(), grace, Expired.FIRST, requirePage(most)).stream()
                .map(expired -> TaskId.of(expired.id()))
                .toList();
    }

    /** Takes all orphans back at once, in the actor's name. */
    public ReclaimResult reclaimNow(String actor) {
        return reclaimNow(actor, null);
    }

    /** The same with a note; each batch has an audit entry. */
    public ReclaimResult reclaimNow(String actor, @Nullable String note) {
        requireText(actor, note);
        return reclaimer.reclaimOnce(new Author(actor, note));
    }

    /**
     * Takes all abandoned tasks from their workers at once, in the actor's name: in batches, with an incident for each
     * task. {@link QueueInspection#abandoned} is the dry run.
     */
    public ReclaimResult cleanAbandonedNow(String actor) {
        return cleanAbandonedNow(actor, null);
    }

    /** The same with a note; each batch has an audit entry. */
    public ReclaimResult cleanAbandonedNow(String actor, @Nullable String note) {
        requireText(actor, note);
        if (cleaner.threshold().isZero()) {
            throw new InvalidTaskException(
                    "Abandoned leases cannot be cleaned up: 'konduit.queue.abandoned.threshold' is 0, so that no task ever counts as abandoned. Set it to the longest time without a checkpoint.");
        }
        return cleaner.cleanOnce(new Author(actor, note));
    }

    private void tell(TaskId id, String what, String actor) {
        log.info("Task {} was {} by {}", id, what, actor);
        tasks.find(id)
                .filter(task -> task.status() == TaskStatus.PENDING)
                .ifPresent(task -> wake(Set.of(task.queue())));
    }

    private void wake(Set<String> queues) {
        try {
            wakeUp.accept(queues);
        } catch (RuntimeException e) {
            // the decision stands; the next poll finds the tasks
            log.warn("A wake-up failed; the tasks of queues {} wait for the next poll", queues, e);
        }
    }

    private RuntimeException wrongState(TaskId id, String what, TaskStatus expected) {
        Optional<Task> task = tasks.find(id);
        if (task.isEmpty()) {
            return new TaskNotFoundException(id);
        }
        return new TaskStateException("Task " + id + " cannot be " + what + ": expected it to be " + expected
                + ", but it is " + task.get().status() + ".");
    }

    private static int requirePage(int most) {
        if (most < 1 || most > MOST_ROWS) {
            throw new InvalidTaskException("Expected a page of 1 to " + MOST_ROWS + " rows, but found " + most + ".");
        }
        return most;
    }

    private static void requireText(String actor, @Nullable String note) {
        AuditText.requireActor(actor);
        AuditText.requireNote(note);
    }
}
