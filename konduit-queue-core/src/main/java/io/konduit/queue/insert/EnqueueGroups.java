package io.konduit.queue.insert;

import io.konduit.queue.Submission;
import io.konduit.queue.jdbc.DatabaseErrors;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;

/**
 * Lets concurrent enqueues share one statement and its commit. The caller that completes a batch sends it, so no extra
 * thread is needed; the other callers sleep until it is committed.
 *
 * <p>A lone caller never waits. After a batch of n, the next caller waits briefly ({@code hold}) for the others to
 * rejoin. A commit takes far longer. Without that wait, callers that were answered together would return one by one,
 * and the first would be sent alone each time.
 */
final class EnqueueGroups {
    private static final Duration HOLD = Duration.ofNanos(60_000);
    private static final Duration PATIENCE = Duration.ofMillis(100);
    private static final int LARGEST = 1_000;

    private final Function<List<NewTask>, List<Submission>> insert;
    private final long holdNanos;
    private final long patienceNanos;

    /** Callers that wait to be sent; also the lock for all fields below. */
    private final ArrayDeque<Call> gathering = new ArrayDeque<>();

    private int expected = 1;
    private boolean underWay;
    private long sentAt;
    private long heldSince;

    EnqueueGroups(Function<List<NewTask>, List<Submission>> insert) {
        this(insert, HOLD, PATIENCE);
    }

    /**
     * @param insert stores all or none of the tasks; committed when it returns
     * @param hold how long the first caller waits for the callers of the previous batch
     * @param patience how long a caller waits behind another batch before it sends its own task: that batch may hang
     */
    EnqueueGroups(Function<List<NewTask>, List<Submission>> insert, Duration hold, Duration patience) {
        this.insert = insert;
        this.holdNanos = hold.toNanos();
        this.patienceNanos = patience.toNanos();
    }

    /** Stores the task; it is committed when this returns. */
    Submission enqueue(NewTask task) {
        Call call = new Call(task, Thread.currentThread());
        List<Call> group = join(call);
        if (group.isEmpty()) {
            group = await(call);
        }
        if (!group.isEmpty()) {
            send(group);
        }
        return call.isByItself() ? insert.apply(List.of(task)).get(0) : call.submission();
    }

    /** How many wait to be sent. */
    int waiting() {
        synchronized (gathering) {
            return gathering.size();
        }
    }

    /** The batch, if this call completes it; otherwise empty. */
    private List<Call> join(Call call) {
        synchronized (gathering) {
            long now = System.nanoTime();
            if (underWay && now - sentAt > patienceNanos) {
                call.goByItself();
                return List.of();
            }
            if (gathering.isEmpty()) {
                heldSince = now;
            }
            gathering.add(call);
            return !underWay && gathering.size() >= expected ? take(now) : List.of();
        }
    }

    /** Waits until another caller has sent the call; returns the batch if it is this caller's turn to send it. */
    private List<Call> await(Call call) {
        long came = System.nanoTime();
        boolean interrupted = false;
        try {
            while (!call.isAnswered()) {
                long nanos;
                synchronized (gathering) {
                    long now = System.nanoTime();
                    if (call.taken) {
                        nanos = Long.MAX_VALUE;
                    } else if (!underWay && gathering.peek() == call) {
                        nanos = heldSince + holdNanos - now;
                        if (nanos <= 0) {
                            return take(now);
                        }
                    } else {
                        nanos = came + patienceNanos - now;
                        if (nanos <= 0) {
                            gathering.remove(call);
                            call.goByItself();
                            return List.of();
                        }
                    }
                }
                LockSupport.parkNanos(this, nanos);
                interrupted |= Thread.interrupted();
            }
            return List.of();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private List<Call> take(long now) {
        List<Call> group = new ArrayList<>(Math.min(LARGEST, gathering.size()));
        while (group.size() < LARGEST && !gathering.isEmpty()) {
            Call call = gathering.remove();
            call.taken = true;
            group.add(call);
        }
        underWay = true;
        sentAt = now;
        return group;
    }

    private void send(List<Call> group) {
        try {
            List<Submission> stored =
                    insert.apply(group.stream().map(call -> call.task).toList());
            for (int i = 0; i < group.size(); i++) {
                group.get(i).stored(stored.get(i));
            }
        } catch (RuntimeException | Error e) {
            boolean refused = group.size() > 1 && DatabaseErrors.isRefusal(e);
            group.forEach(call -> call.failed(e, refused));
            if (!refused) {
                throw e;
            }
        } finally {
            release(group);
        }
    }

    private void release(List<Call> group) {
        Call first;
        synchronized (gathering) {
            underWay = false;
            heldSince = System.nanoTime();
            expected = Math.min(LARGEST, group.size() + gathering.size());
            first = gathering.peek();
        }
        group.forEach(Call::wake);
        if (first != null) {
            first.wake();
        }
    }

    private static final class Call {
        private final NewTask task;
        private final Thread caller;

        /** Guarded by the lock of the batches. */
        private boolean taken;

        private @Nullable Submission submission;
        private @Nullable Throwable failure;
        private boolean byItself;
        private volatile boolean answered;

        Call(NewTask task, Thread caller) {
            this.task = task;
            this.caller = caller;
        }

        void stored(Submission submission) {
            this.submission = submission;
            answered = true;
        }

        /** When the database refuses the batch, one task may be the cause: each caller retries its own task alone. */
        void failed(Throwable failure, boolean refused) {
            this.failure = failure;
            this.byItself = refused;
            answered = true;
        }

        void goByItself() {
            byItself = true;
            answered = true;
        }

        boolean isAnswered() {
            return answered;
        }

        boolean isByItself() {
            return byItself;
        }

        Submission submission() {
            if (failure != null) {
                throw new DataAccessResourceFailureException(
                        "The task of type '" + task.type()
                                + "' was sent in one statement with others that were enqueued at"
                                + " the same time, and the database did not say whether it stored them. Look for the task"
                                + " before you enqueue it again.",
                        failure);
            }
            return Objects.requireNonNull(submission);
        }

        void wake() {
            if (caller != Thread.currentThread()) {
                LockSupport.unpark(caller);
            }
        }
    }
}
