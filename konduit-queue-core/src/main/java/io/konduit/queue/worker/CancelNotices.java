package io.konduit.queue.worker;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Lets the lease keeper ask at once about a task that is said to be cancelled. The row decides, so a notice that is not
 * true costs one extension.
 */
final class CancelNotices {
    private static final int MOST_KEPT = 1_000;

    private final ActiveLeases active;
    private final Runnable askNow;
    /** Of tasks that this worker does not have, or not yet: the reply to their claim may be under way. */
    private final Map<Long, Boolean> early = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > MOST_KEPT;
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
        // kept before the look: a task that comes in meanwhile finds it
        synchronized (early) {
            early.put(taskId, true);
        }
        Execution execution = active.find(taskId);
        if (execution != null) {
            ask(execution);
        }
    }

    /** A claimed task has become known here. */
    void claimed(Execution execution) {
        boolean cancelled;
        synchronized (early) {
            cancelled = early.remove(execution.task().id()) != null;
        }
        if (cancelled) {
            ask(execution);
        }
    }

    /** Notices may have been missed: all leases are asked for. */
    void missed() {
        if (!active.isEmpty()) {
            active.all().forEach(Execution::extendSoon);
            askNow.run();
        }
    }

    private void ask(Execution execution) {
        execution.extendSoon();
        askNow.run();
    }
}
