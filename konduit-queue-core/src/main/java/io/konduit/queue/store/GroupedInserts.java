package io.konduit.queue.store;

import io.konduit.queue.Submission;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;

/**
 * Inserts outside a transaction that come at the same time share a statement and its commit. One that comes alone goes
 * at once; those that come while others are on their way go together as soon as one of these is back, on the thread of
 * the first of them. Each returns when its own task is durable.
 *
 * <p>A statement that PostgreSQL refuses for its data has changed nothing, so its tasks go one by one and only the bad one
 * fails. After any other error nobody knows what was committed: all of them hear of it, and none is tried again.
 */
final class GroupedInserts {
    /** One on its way to the disk while the next is being prepared. */
    private static final int AT_ONCE = 2;

    private static final int MOST = 100;

    private final Function<List<NewTask>, List<Submission>> insert;
    private final Queue<Call> waiting = new ArrayDeque<>();
    private int underWay;

    /**
     * @param insert inserts all or none, and answers in the order of the tasks
     */
    GroupedInserts(Function<List<NewTask>, List<Submission>> insert) {
        this.insert = insert;
    }

    Submission insert(NewTask task) {
        Call own = new Call(task);
        List<Call> group = join(own);
        if (group == null) {
            group = own.await();
        }
        if (group != null) {
            try {
                write(group);
            } finally {
                next();
            }
        }
        return own.answer();
    }

    /** The group to write, null when others are ahead. */
    private synchronized @Nullable List<Call> join(Call own) {
        if (underWay < AT_ONCE) {
            underWay++;
            return List.of(own);
        }
        waiting.add(own);
        return null;
    }

    /** Hands what has come in meanwhile to the thread of the first. */
    private void next() {
        List<Call> group = new ArrayList<>();
        synchronized (this) {
            while (!waiting.isEmpty() && group.size() < MOST) {
                group.add(waiting.remove());
            }
            if (group.isEmpty()) {
                underWay--;
                return;
            }
        }
        group.get(0).lead(group);
    }

    private void write(List<Call> group) {
        try {
            List<Submission> submissions =
                    insert.apply(group.stream().map(Call::task).toList());
            for (int i = 0; i < group.size(); i++) {
                group.get(i).answer(submissions.get(i), null);
            }
        } catch (RuntimeException | Error e) {
            if (group.size() > 1 && e instanceof DataIntegrityViolationException) {
                group.forEach(call -> write(List.of(call)));
            } else {
                group.forEach(call -> call.answer(null, e));
            }
        }
    }

    /** One caller: waits until it is answered, or until it is to write for others. */
    private static final class Call {
        private final NewTask task;
        private final Thread thread = Thread.currentThread();
        private volatile boolean awake;
        private @Nullable List<Call> group;
        private @Nullable Submission submission;
        private @Nullable Throwable error;

        Call(NewTask task) {
            this.task = task;
        }

        NewTask task() {
            return task;
        }

        void lead(List<Call> calls) {
            group = calls;
            wake();
        }

        void answer(@Nullable Submission inserted, @Nullable Throwable failure) {
            submission = inserted;
            error = failure;
            wake();
        }

        private void wake() {
            awake = true;
            if (thread != Thread.currentThread()) {
                LockSupport.unpark(thread);
            }
        }

        /** As a statement of its own would, it does not end by an interrupt. */
        @Nullable List<Call> await() {
            boolean interrupted = false;
            while (!awake) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return group;
        }

        Submission answer() {
            if (error instanceof RuntimeException exception) {
                throw exception;
            }
            if (error instanceof Error failure) {
                throw failure;
            }
            if (submission == null) {
                throw new IllegalStateException("The insert was not answered.");
            }
            return submission;
        }
    }
}
