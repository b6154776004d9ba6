package io.konduit.queue.admin;

import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.BulkRepository;
import io.konduit.queue.store.BulkRepository.Changed;
import io.konduit.queue.store.BulkRepository.Criteria;
import io.konduit.queue.store.BulkRepository.Found;
import io.konduit.queue.store.BulkRepository.Page;
import io.konduit.queue.store.BulkRepository.Terms;
import io.konduit.queue.store.Cursor;
import io.konduit.queue.store.DatabaseErrors;
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
 * S13: does one thing to all tasks that match, in batches with a transaction each.
 *
 * <ol>
 *   <li>Finds a page of tasks that match. Nothing has changed yet if the node dies.
 *   <li>Changes those that still match and that nobody has locked, with an incident each and one audit entry. If the node
 *       dies, whole batches are done; the same call does the rest.
 *   <li>Wakes workers.
 * </ol>
 */
final class BulkTasks {
    static final int BATCH = 500;
    static final int MOST = 100_000;
    private static final Logger log = LoggerFactory.getLogger(BulkTasks.class);
    private static final int EXAMINE = 20_000;
    private static final Cursor FIRST = new Cursor("-infinity", Long.MIN_VALUE);

    private final BulkRepository tasks;
    private final Consumer<Set<String>> wakeUp;

    BulkTasks(BulkRepository tasks, Consumer<Set<String>> wakeUp) {
        this.tasks = tasks;
        this.wakeUp = wakeUp;
    }

    /** The dry run: looks at everything, a page at a time. */
    BulkResult count(BulkAction action, TaskFilter filter) {
        Criteria criteria = filter.criteria(action);
        String until = tasks.begin();
        Tally tally = new Tally();
        for (Cursor after = FIRST; after != null; ) {
            Page page = tasks.find(criteria, until, after, EXAMINE, EXAMINE);
            tally.matched(page.found());
            after = page.next();
        }
        return new BulkResult(tally.matched, tally.byStatus, 0, 0, false);
    }

    BulkResult apply(BulkAction action, TaskFilter filter, int limit, String actor, @Nullable String note) {
        if (limit < 1 || limit > MOST) {
            throw new InvalidTaskException("Expected a limit of 1 to " + MOST + " tasks, but found " + limit + ".");
        }
        if (tasks.isInTransaction()) {
            throw new IllegalStateException(
                    "A bulk action commits batch by batch, so it cannot be part of a transaction. Call it outside of one.");
        }
        Criteria criteria = filter.criteria(action);
        Terms terms =
                new Terms(action.kind(), action.attempts(), action.start(), filter.json(), new Author(actor, note));
        String until = tasks.begin();
        Tally tally = new Tally();
        Cursor after = FIRST;
        try {
            while (after != null && tally.changed < limit) {
                int most = (int) Math.min(BATCH, limit - tally.changed);
                Page page = tasks.find(criteria, until, after, EXAMINE, most);
                tally.matched(page.found());
                change(action, terms, criteria, until, page.found(), tally);
                after = page.next();
            }
        } finally {
            // also when a later batch failed: what was done before it is done
            if (tally.changed > 0) {
                log.info("Bulk {} by {} changed {} tasks: {}", action, actor, tally.changed, filter.json());
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
            // a unique key was taken meanwhile, or a row of the evidence is locked: one by one, and without those
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
        if (action.makesDue() && changed.tasks() > 0) {
            wakeUp.accept(changed.queues());
        }
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
