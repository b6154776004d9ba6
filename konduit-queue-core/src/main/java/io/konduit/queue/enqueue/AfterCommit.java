package io.konduit.queue.enqueue;

import io.konduit.queue.TaskId;
import io.konduit.queue.failover.AcknowledgedTasks;
import io.konduit.queue.insert.NewTask;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Collects the enqueues of one transaction. After its commit it counts them and wakes workers, once; without a
 * transaction at once.
 */
public final class AfterCommit {
    private static final Logger log = LoggerFactory.getLogger(AfterCommit.class);
    /** Longer than any transaction lasts. */
    private static final Duration FAR = Duration.ofDays(1);

    private final BooleanSupplier commitsLater;
    private final Supplier<Stream<TaskWakeUp>> source;
    private final EnqueueMonitor monitor;
    private final AcknowledgedTasks acknowledged;
    private final Supplier<@Nullable Instant> databaseTime;
    private volatile @Nullable List<TaskWakeUp> wakeUps;

    /**
     * @param commitsLater whether the calling thread's enqueues are committed later, and synchronizations are notified
     * @param source evaluated at the first enqueue: workers are among the targets, and their handlers may need the
     *     queue
     * @param databaseTime what this instance knows of it; null: nothing
     */
    public AfterCommit(
            BooleanSupplier commitsLater,
            Supplier<Stream<TaskWakeUp>> source,
            EnqueueMonitor monitor,
            AcknowledgedTasks acknowledged,
            Supplier<@Nullable Instant> databaseTime) {
        this.commitsLater = commitsLater;
        this.source = source;
        this.monitor = monitor;
        this.acknowledged = acknowledged;
        this.databaseTime = databaseTime;
    }

    void enqueued(NewTask task, TaskId id) {
        if (commitsLater.getAsBoolean()) {
            collected().add(task, id);
        } else {
            acknowledged.add(id);
            monitor.enqueued(task.queue(), task.type(), 1);
            if (isDue(task)) {
                wake(Set.of(task.queue()));
            } else {
                wakeLater(task.queue(), delay(task));
            }
        }
    }

    /** @param ids of the tasks, in the same order */
    void enqueued(List<NewTask> tasks, List<TaskId> ids) {
        if (tasks.isEmpty()) {
            return;
        }
        if (commitsLater.getAsBoolean()) {
            collected().addAll(tasks, ids);
        } else {
            Collected all = new Collected();
            all.addAll(tasks, ids);
            all.afterCommit();
        }
    }

    /** An existing task of this queue may start now. */
    public void due(String queue) {
        if (commitsLater.getAsBoolean()) {
            collected().addDue(queue);
        } else {
            wake(Set.of(queue));
        }
    }

    /** An existing task of this queue may start after this delay. */
    void due(String queue, Duration delay) {
        if (commitsLater.getAsBoolean()) {
            collected().addLater(queue, System.nanoTime() + atMostFar(delay).toNanos());
        } else {
            wakeLater(queue, delay);
        }
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
        each(wakeUp -> wakeUp.tasksDue(queues));
    }

    private void wakeLater(String queue, Duration delay) {
        if (delay.compareTo(TaskWakeUp.FORESIGHT) <= 0) {
            each(wakeUp -> wakeUp.tasksDueIn(queue, delay.isNegative() ? Duration.ZERO : delay));
        }
    }

    private void each(Consumer<TaskWakeUp> call) {
        List<TaskWakeUp> known = wakeUps;
        if (known == null) {
            known = source.get().toList();
            wakeUps = known;
        }
        for (TaskWakeUp wakeUp : known) {
            try {
                call.accept(wakeUp);
            } catch (RuntimeException e) {
                // the tasks are committed; the next poll finds them
                log.warn("A wake-up failed; the tasks wait for the next poll", e);
            }
        }
    }

    /** A task with its own start time may not be due yet. */
    private static boolean isDue(NewTask task) {
        return task.runAt() == null && task.delay().isZero();
    }

    /** Zero if this instance does not know the database's clock: the workers then ask the database. */
    private Duration delay(NewTask task) {
        if (task.runAt() == null) {
            return atMostFar(task.delay());
        }
        Instant now = databaseTime.get();
        return now == null || !now.isBefore(task.runAt())
                ? Duration.ZERO
                : atMostFar(Duration.between(now, task.runAt()));
    }

    private static Duration atMostFar(Duration delay) {
        return delay.compareTo(FAR) < 0 ? delay : FAR;
    }

    /** In segments: a rollback to a savepoint discards what was enqueued since. */
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
            Part part = parts.get(parts.size() - 1);
            part.add(task, id);
            if (!isDue(task)) {
                part.addLater(task.queue(), System.nanoTime() + delay(task).toNanos());
            }
        }

        void addDue(String queue) {
            parts.get(parts.size() - 1).due.add(queue);
        }

        void addLater(String queue, long atNanos) {
            parts.get(parts.size() - 1).addLater(queue, atNanos);
        }

        @Override
        public void savepoint(Object savepoint) {
            partsBefore.put(savepoint, parts.size());
            parts.add(new Part());
        }

        /** An unknown savepoint is older than everything here. */
        @Override
        public void savepointRollback(Object savepoint) {
            int kept = Math.min(parts.size(), partsBefore.getOrDefault(savepoint, 0));
            parts.subList(kept, parts.size()).clear();
            parts.add(new Part());
        }

        /** A synchronization that is registered in an after-commit callback gets no call of its own {@code afterCommit}. */
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
            long now = System.nanoTime();
            all.later.forEach((queue, at) -> wakeLater(queue, Duration.ofNanos(at - now)));
        }
    }

    /** The enqueues between two savepoints. */
    private static final class Part {
        private record Kind(String queue, String type) {}

        private final Map<Kind, Integer> counts = new HashMap<>();
        private final Set<String> due = new HashSet<>();
        /** When the first of those tasks is due that are not due yet. */
        private final Map<String, Long> later = new HashMap<>();

        private final List<TaskId> created = new ArrayList<>();

        void add(NewTask task, TaskId id) {
            remember(id);
            counts.merge(new Kind(task.queue(), task.type()), 1, Integer::sum);
            if (isDue(task)) {
                due.add(task.queue());
            }
        }

        void addLater(String queue, long atNanos) {
            later.merge(queue, atNanos, (one, other) -> one - other < 0 ? one : other);
        }

        void addAll(Part later) {
            later.created.forEach(this::remember);
            later.counts.forEach((kind, tasks) -> counts.merge(kind, tasks, Integer::sum));
            due.addAll(later.due);
            later.later.forEach(this::addLater);
        }

        private void remember(TaskId id) {
            if (created.size() < AcknowledgedTasks.CAPACITY) {
                created.add(id);
            }
        }
    }
}
