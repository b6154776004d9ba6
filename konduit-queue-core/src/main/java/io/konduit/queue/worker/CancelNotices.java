package io.konduit.queue.worker;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Lets the lease keeper check at once whether a task was cancelled. The row decides, so a false notice costs one
 * extension.
 */
final class CancelNotices {
    private static final int MAX_KEPT = 1_000;

    private final ActiveLeases active;
    private final Runnable askNow;
    /** Notices for tasks that this worker does not hold yet. The reply to their claim may be in flight. */
    private final Map<Long, Boolean> early = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > MAX_KEPT;
        }
    };

    /**
     * @param askNow wakes the lease keeper
     */
    CancelNotices(ActiveLeases active, Runnable askNow) {
        this.active = active;
        this.askNow = askNow;
    }

    /** A task was cancelled, here or elsewhere. Never blocks for long. */
    void received(long taskId) {
        // stored before the lookup, so a task that arrives in between still finds its notice
        synchronized (early) {
            early.put(taskId, true);
        }
        RunningTask run = active.find(taskId);
        if (run != null) {
            ask(run);
        }
    }

    /** This worker has claimed a task. */
    void claimed(RunningTask run) {
        boolean cancelled;
        synchronized (early) {
            cancelled = !early.isEmpty() && early.remove(run.task().id()) != null;
        }
        if (cancelled) {
            ask(run);
        }
    }

    /** Notices may have been missed: checks every lease. */
    void missed() {
        if (!active.isEmpty()) {
            active.all().forEach(RunningTask::extendSoon);
            askNow.run();
        }
    }

    private void ask(RunningTask run) {
        run.extendSoon();
        askNow.run();
    }
}
