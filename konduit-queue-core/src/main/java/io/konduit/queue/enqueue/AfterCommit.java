package io.konduit.queue.enqueue;

import io.konduit.queue.TaskId;
import io.konduit.queue.failover.AcknowledgedTasks;
import io.konduit.queue.store.NewTask;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Collects what one transaction enqueues and, once and after its commit, counts it and wakes workers; at once without a
 * transaction.
 */
final class AfterCommit {
    private static final Logger log = LoggerFactory.getLogger(AfterCommit.class);

    private final BooleanSupplier inTransaction;
    private final Supplier<Stream<TaskWakeUp>> source;
    private final EnqueueMonitor monitor;
    private final AcknowledgedTasks acknowledged;
    private volatile @Nullable List<TaskWakeUp> wakeUps;

    /**
     * @param inTransaction whether what the calling thread enqueues is part of a transaction that is still open
     * @param source asked when something was first enqueued: workers are among them, and their handlers may need the queue
     */
    AfterCommit(
            BooleanSupplier inTransaction,
            Supplier<Stream<TaskWakeUp>> source,
            EnqueueMonitor monitor,
            AcknowledgedTasks acknowledged) {
        this.inTransaction = inTransaction;
        this.source = source;
        this.monitor = monitor;
        this.acknowledged = acknowledged;
    }

    void enqueued(NewTask task, TaskId id) {
        if (isLater()) {
            collected().add(task, id);
        } else {
            acknowledged.add(id);
            monitor.enqueued(task.queue(), task.type(), 1);
            if (isDue(task)) {
                wake(Set.of(task.queue()));
            }
        }
    }

    /** @param ids of the tasks, in the same order */
    void enqueued(List<NewTask> tasks, List<TaskId> ids) {
        if (tasks.isEmpty()) {
            return;
        }
        if (isLater()) {
            collected().addAll(tasks, ids);
        } else {
            Collected all = new Collected();
            all.addAll(tasks, ids);
            all.afterCommit();
        }
    }

    /** A task of this queue that was there before may start now. */
    void due(String queue) {
        if (isLater()) {
            collected().addDue(queue);
        } else {
            wake(Set.of(queue));
        }
    }

    /** Whether the tasks are committed later than now. */
    private boolean isLater() {
        return TransactionSynchronizationManager.isSynchronizationActive() && inTransaction.getAsBoolean();
    }

    private Collected collected() {
        for (TransactionSynchronization present : TransactionSynchronizationManager.getSynchronizations()) {
            if (present instanceof Collected collected && collected.owner() == this) {
                return collected;
            }
        }
        Collected created = new Collected();
        TransactionSynchronizationManager.registerSynchronization(created);
        return created;
    }

    private void wake(Set<String> queues) {
        List<TaskWakeUp> known = wakeUps;
        if (known == null) {
            known = source.get().toList();
            wakeUps = known;
        }
        for (TaskWakeUp wakeUp : known) {
            try {
                wakeUp.tasksDue(queues);
            } catch (RuntimeException e) {
                // the tasks are committed; the next poll finds them
                log.warn("A wake-up failed; the tasks wait for the next poll", e);
            }
        }
    }

    /** A task with a moment of its own may be due or not: the poll finds it. */
    private static boolean isDue(NewTask task) {
        return task.runAt() == null && task.delay().isZero();
    }

    /** In parts: a rollback to a savepoint takes back what was enqueued since. */
    private final class Collected implements TransactionSynchronization {
        private final List<Part> parts = new ArrayList<>(List.of(new Part()));
        private final Map<Object, Integer> partsBefore = new IdentityHashMap<>();
        private boolean told;

        AfterCommit owner() {
            return AfterCommit.this;
        }

        void addAll(List<NewTask> tasks, List<TaskId> ids) {
            for (int i = 0; i < tasks.size(); i++) {
                add(tasks.get(i), ids.get(i));
            }
        }

        void add(NewTask task, TaskId id) {
            parts.get(parts.size() - 1).add(task, id);
        }

        void addDue(String queue) {
            parts.get(parts.size() - 1).due.add(queue);
        }

        @Override
        public void savepoint(Object savepoint) {
            partsBefore.put(savepoint, parts.size());
            parts.add(new Part());
        }

        /** A savepoint that is not known is older than everything here. */
        @Override
        public void savepointRollback(Object savepoint) {
            int kept = Math.min(parts.size(), partsBefore.getOrDefault(savepoint, 0));
            parts.subList(kept, parts.size()).clear();
            parts.add(new Part());
        }

        /** Registered in a callback after the commit, it is not called after the commit any more. */
        @Override
        public void afterCompletion(int status) {
            if (status == STATUS_COMMITTED && !told) {
                afterCommit();
            }
        }

        @Override
        public void afterCommit() {
            told = true;
            Part all = parts.get(0);
            parts.subList(1, parts.size()).forEach(all::addAll);
            acknowledged.addAll(all.created);
            all.counts.forEach((kind, tasks) -> monitor.enqueued(kind.queue(), kind.type(), tasks));
            if (!all.due.isEmpty()) {
                wake(all.due);
            }
        }
    }

    /** What was enqueued between two savepoints. */
    private static final class Part {
        private record Kind(String queue, String type) {}

        private final Map<Kind, Integer> counts = new HashMap<>();
        private final Set<String> due = new HashSet<>();
        private final List<TaskId> created = new ArrayList<>();

        void add(NewTask task, TaskId id) {
            remember(id);
            counts.merge(new Kind(task.queue(), task.type()), 1, Integer::sum);
            if (isDue(task)) {
                due.add(task.queue());
            }
        }

        void addAll(Part later) {
            later.created.forEach(this::remember);
            later.counts.forEach((kind, tasks) -> counts.merge(kind, tasks, Integer::sum));
            due.addAll(later.due);
        }

        private void remember(TaskId id) {
            if (created.size() < AcknowledgedTasks.CAPACITY) {
                created.add(id);
            }
        }
    }
}
