package io.konduit.queue.operations;

import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.BulkAction;
import io.konduit.queue.admin.BulkAction.Kind;
import io.konduit.queue.admin.BulkResult;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.TaskFilter;
import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.review.BulkRepository;
import io.konduit.queue.review.BulkRepository.Changed;
import io.konduit.queue.review.BulkRepository.Criteria;
import io.konduit.queue.review.BulkRepository.Found;
import io.konduit.queue.review.BulkRepository.Page;
import io.konduit.queue.review.BulkRepository.Position;
import io.konduit.queue.review.BulkRepository.Terms;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.Start;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;

/**
 * S13: applies one action to all matching tasks, in batches with a transaction each.
 *
 * <ol>
 *   <li>Finds a page of tasks that match. Nothing has changed yet if the node dies.
 *   <li>Changes those that still match and are not locked, with an incident each and one audit entry. If the node dies,
 *       whole batches are done; repeating the call does the rest.
 *   <li>Wakes workers.
 * </ol>
 */
final class BulkTasks {
    static final int BATCH = 500;
    static final int MAX_CHANGED = 100_000;
    private static final Logger log = LoggerFactory.getLogger(BulkTasks.class);
    private static final int EXAMINE = 20_000;

    private final BulkRepository tasks;
    private final Consumer<Set<String>> wakeUp;

    BulkTasks(BulkRepository tasks, Consumer<Set<String>> wakeUp) {
        this.tasks = tasks;
        this.wakeUp = wakeUp;
    }

    /** The dry run: reads everything, a page at a time. */
    BulkResult count(BulkAction action, TaskFilter filter) {
        start(action);
        Criteria criteria = BulkCriteria.of(action, filter);
        String until = tasks.begin();
        Tally tally = new Tally();
        for (Position after = Position.FIRST; after != null; ) {
            Page page = tasks.find(criteria, until, after, EXAMINE, EXAMINE);
            tally.matched(page.found());
            after = page.next();
        }
        return new BulkResult(tally.matched, tally.byStatus, 0, 0, false);
    }

    BulkResult apply(BulkAction action, TaskFilter filter, int limit, String actor, @Nullable String note) {
        if (limit < 1 || limit > MAX_CHANGED) {
            throw new InvalidRequestException(
                    "Expected a limit of 1 to " + MAX_CHANGED + " tasks, but found " + limit + ".");
        }
        if (tasks.isInTransaction()) {
            throw new IllegalStateException(
                    "A bulk action commits batch by batch, so it cannot be part of a transaction. Call it outside of one.");
        }
        Criteria criteria = BulkCriteria.of(action, filter);
        String json = BulkCriteria.json(filter);
        Terms terms = new Terms(action.kind(), action.attempts(), start(action), json, new Author(actor, note));
        String until = tasks.begin();
        Tally tally = new Tally();
        Position after = Position.FIRST;
        try {
            while (after != null && tally.changed < limit) {
                int batch = (int) Math.min(BATCH, limit - tally.changed);
                Page page = tasks.find(criteria, until, after, EXAMINE, batch);
                tally.matched(page.found());
                change(action, terms, criteria, until, page.found(), tally);
                after = page.next();
            }
        } finally {
            // also when a later batch failed: the earlier batches are committed
            if (tally.changed > 0) {
                log.info("Bulk {} by {} changed {} tasks: {}", action, actor, tally.changed, json);
            }
        }
        return new BulkResult(
                tally.matched, tally.byStatus, tally.changed, tally.matched - tally.changed, after != null);
    }

    private void change(
            BulkAction action, Terms terms, Criteria criteria, String until, List<Found> found, Tally tally) {
        if (found.isEmpty()) {
            return;
        }
        List<Long> ids = found.stream().map(Found::id).toList();
        try {
            changed(action, tasks.apply(terms, criteria, until, ids), tally);
        } catch (DataAccessException e) {
            requireSkippable(e);
            // a unique key was taken in the meantime, or an incident row is locked: one by one, and without those
            for (Long id : ids) {
                changeOne(action, terms, criteria, until, id, tally);
            }
        }
    }

    private void changeOne(BulkAction action, Terms terms, Criteria criteria, String until, Long id, Tally tally) {
        try {
            changed(action, tasks.apply(terms, criteria, until, List.of(id)), tally);
        } catch (DataAccessException e) {
            requireSkippable(e);
            log.debug("Task {} was left out of a bulk {}", id, action, e);
        }
    }

    private static void requireSkippable(DataAccessException error) {
        if (!(error instanceof DataIntegrityViolationException) && !DatabaseErrors.isLocked(error)) {
            throw error;
        }
    }

    private void changed(BulkAction action, Changed changed, Tally tally) {
        tally.changed += changed.tasks();
        if (makesDue(action) && changed.tasks() > 0) {
            wakeUp.accept(changed.queues());
        }
    }

    /** When rescheduled tasks start; null for other actions. */
    static @Nullable Start start(BulkAction action) {
        Instant runAt = action.runAt();
        if (runAt != null) {
            return SharedRules.startAt(runAt);
        }
        Duration delay = action.delay();
        return delay == null ? null : SharedRules.startAfter(delay);
    }

    /** Whether workers may have to be woken afterwards. */
    private static boolean makesDue(BulkAction action) {
        return action.kind() == Kind.RELEASE || action.kind() == Kind.RETRY || action.kind() == Kind.RESCHEDULE;
    }

    /** What was found and done so far. */
    private static final class Tally {
        private final Map<TaskStatus, Long> byStatus = new EnumMap<>(TaskStatus.class);
        private long matched;
        private long changed;

        void matched(List<Found> found) {
            matched += found.size();
            found.forEach(task -> byStatus.merge(task.status(), 1L, Long::sum));
        }
    }
}
