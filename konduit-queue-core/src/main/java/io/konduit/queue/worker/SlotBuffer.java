package io.konduit.queue.worker;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Claimed tasks that wait for a slot of their group. */
final class SlotBuffer {
    private final LinkedBlockingQueue<Entry> entries = new LinkedBlockingQueue<>();
    private final LongSupplier nanoTime;
    private volatile boolean stopped;

    /** A task, or null for a slot that must end: so an idle slot blocks instead of polling. */
    private record Entry(@Nullable RunningTask run) {
        static final Entry END = new Entry(null);
    }

    SlotBuffer(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Hands a task to the slots; false when they are ending. */
    boolean add(RunningTask run) {
        synchronized (entries) {
            return !stopped && entries.add(new Entry(run));
        }
    }

    /** Waits for the next task; null when the slot must end. */
    @Nullable
    RunningTask take() throws InterruptedException {
        return entries.take().run();
    }

    /** The next task; null when there is none. */
    @Nullable
    RunningTask poll() {
        Entry next = entries.poll();
        return next == null ? null : next.run();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    boolean isStopped() {
        return stopped;
    }

    /** Accepts no more tasks, gives back the waiting ones through the callback, and ends this many slots. */
    void stop(int slots, Consumer<RunningTask> giveBack) {
        synchronized (entries) {
            // from here on nothing is added: tasks from a later claim are given back
            stopped = true;
        }
        returnAll(giveBack);
        for (int i = 0; i < slots; i++) {
            entries.add(Entry.END);
        }
    }

    /** Returns all tasks if the oldest has waited this long; false otherwise. */
    boolean returnIfWaited(Duration longest, Consumer<RunningTask> giveBack) {
        Entry oldest = entries.peek();
        if (oldest == null
                || oldest.run() == null
                || nanoTime.getAsLong() - oldest.run().claimedNanos() < longest.toNanos()) {
            return false;
        }
        returnAll(giveBack);
        return true;
    }

    /** One at a time: if giving one back fails, the rest stay here. */
    private void returnAll(Consumer<RunningTask> giveBack) {
        int ends = 0;
        try {
            for (Entry entry = entries.poll(); entry != null; entry = entries.poll()) {
                if (entry.run() == null) {
                    ends++;
                } else {
                    giveBack.accept(entry.run());
                }
            }
        } finally {
            for (; ends > 0; ends--) {
                entries.add(Entry.END);
            }
        }
    }
}
