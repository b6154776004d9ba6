package io.konduit.queue.operations;

import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.BulkAction;
import io.konduit.queue.admin.BulkResult;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.TaskFilter;
import io.konduit.queue.admin.TaskNotFoundException;
import io.konduit.queue.admin.TaskStateException;
import io.konduit.queue.recovery.AbandonedLeaseCleaner;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.review.AdministrationRepository;
import io.konduit.queue.settings.PropertyNames;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.Start;
import io.konduit.queue.store.StartRepository.Moved;
import io.konduit.queue.store.TaskRepository;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DuplicateKeyException;

/** {@link TaskAdministration} on the database: each decision is one statement with its audit row. */
public final class DatabaseTaskAdministration implements TaskAdministration {
    private static final Logger log = LoggerFactory.getLogger(DatabaseTaskAdministration.class);

    private final AdministrationRepository decisions;
    private final TaskRepository tasks;
    private final OrphanReclaimer reclaimer;
    private final AbandonedLeaseCleaner cleaner;
    private final Consumer<Set<String>> wakeUp;
    private final BiConsumer<String, Duration> dueIn;
    private final BulkTasks bulk;

    public DatabaseTaskAdministration(
            AdministrationRepository decisions,
            TaskRepository tasks,
            OrphanReclaimer reclaimer,
            AbandonedLeaseCleaner cleaner,
            Consumer<Set<String>> wakeUp) {
        this(decisions, tasks, reclaimer, cleaner, wakeUp, (queue, delay) -> {});
    }

    /**
     * @param wakeUp receives the queues with due tasks
     * @param dueIn receives the queue of a task that becomes due, and when
     */
    public DatabaseTaskAdministration(
            AdministrationRepository decisions,
            TaskRepository tasks,
            OrphanReclaimer reclaimer,
            AbandonedLeaseCleaner cleaner,
            Consumer<Set<String>> wakeUp,
            BiConsumer<String, Duration> dueIn) {
        this.dueIn = dueIn;
        this.decisions = decisions;
        this.tasks = tasks;
        this.reclaimer = reclaimer;
        this.cleaner = cleaner;
        this.wakeUp = wakeUp;
        this.bulk = new BulkTasks(decisions.bulk(), this::wake);
    }

    @Override
    public void release(TaskId id, String actor, @Nullable String note) {
        AuditText.require(actor, note);
        if (!decisions.release(id, actor, note)) {
            throw wrongState(id, "released", TaskStatus.HELD);
        }
        tell(id, "released", actor);
    }

    @Override
    public void fail(TaskId id, String actor, @Nullable String note) {
        AuditText.require(actor, note);
        if (!decisions.failByHand(id, actor, note)) {
            throw wrongState(id, "failed", TaskStatus.HELD);
        }
        tell(id, "failed", actor);
    }

    @Override
    public void retry(TaskId id, int attempts, String actor, @Nullable String note) {
        AuditText.require(actor, note);
        int more = BulkAction.retry(attempts).attempts();
        try {
            if (!decisions.retry(id, more, actor, note)) {
                throw wrongState(id, "retried", TaskStatus.FAILED);
            }
        } catch (DuplicateKeyException e) {
            throw new TaskStateException(
                    "Task " + id
                            + " cannot be retried: another live task has its unique key. Wait until that task has ended, or cancel it.");
        }
        tell(id, "retried", actor);
    }

    @Override
    public void cancel(TaskId id, String actor, @Nullable String note) {
        AuditText.require(actor, note);
        if (!tasks.cancel(id, actor, note)) {
            Task task = tasks.find(id).orElseThrow(() -> new TaskNotFoundException(id));
            throw new TaskStateException("Task " + id + " cannot be cancelled: it is " + task.status() + " already.");
        }
        tell(id, "cancelled", actor);
    }

    @Override
    public void reschedule(TaskId id, Instant runAt, String actor, @Nullable String note) {
        reschedule(id, SharedRules.startAt(runAt), actor, note);
    }

    @Override
    public void reschedule(TaskId id, Duration delay, String actor, @Nullable String note) {
        reschedule(id, SharedRules.startAfter(delay), actor, note);
    }

    private void reschedule(TaskId id, Start start, String actor, @Nullable String note) {
        AuditText.require(actor, note);
        Moved moved = tasks.starts()
                .reschedule(id, start, actor, note)
                .orElseThrow(() -> wrongState(id, "rescheduled", TaskStatus.PENDING));
        log.info("Task {} was rescheduled by {}: it starts {}", id, actor, start);
        if (moved.due()) {
            wake(Set.of(moved.queue()));
        } else {
            dueIn.accept(moved.queue(), moved.in());
        }
    }

    @Override
    public BulkResult count(BulkAction action, TaskFilter filter) {
        return bulk.count(action, filter);
    }

    @Override
    public BulkResult apply(BulkAction action, TaskFilter filter, int limit, String actor, @Nullable String note) {
        AuditText.require(actor, note);
        return bulk.apply(action, filter, limit, actor, note);
    }

    @Override
    public ReclaimResult reclaimNow(String actor, @Nullable String note) {
        AuditText.require(actor, note);
        return reclaimer.reclaimOnce(new Author(actor, note));
    }

    @Override
    public ReclaimResult cleanAbandonedNow(String actor, @Nullable String note) {
        AuditText.require(actor, note);
        if (cleaner.threshold().isZero()) {
            throw new InvalidRequestException(
                    "Abandoned leases cannot be cleaned up: '" + PropertyNames.ABANDONED_THRESHOLD
                            + "' is 0, so no task ever counts as abandoned. Set it to the longest acceptable time without a checkpoint.");
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
            // the decision is committed; the next poll finds the tasks
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
}
