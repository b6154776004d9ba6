package io.konduit.queue.worker;

import io.konduit.queue.settings.DurationText;
import io.konduit.queue.settings.PropertyNames;
import io.konduit.queue.store.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Gives back the tasks that did not finish, or did not start, within the drain timeout. Their leases are over, whatever
 * their handlers still do. Started tasks that must not run twice are not given back: their leases end, and the reaper
 * holds them for review. Handlers are interrupted first, because a handler that holds its own row in a transaction must
 * release it before the row can be given back.
 */
final class UnfinishedRuns {
    private static final Logger log = LoggerFactory.getLogger(UnfinishedRuns.class);
    private static final Duration LOCKED_PAUSE = Duration.ofMillis(20);

    private final WorkerState state;
    private final Duration drainTimeout;

    UnfinishedRuns(WorkerState state, Duration drainTimeout) {
        this.state = state;
        this.drainTimeout = drainTimeout;
    }

    void giveBack(StopBudget budget) {
        ActiveLeases active = state.active();
        // tasks that have not started are waiting behind one that has to run alone
        List<RunningTask> rest = active.all().stream()
                .filter(run -> run.isRunning() || !run.isStarted())
                .toList();
        for (RunningTask run : rest) {
            run.end(run.task().reapable() ? RunningTask.End.GIVEN_BACK : RunningTask.End.LEFT_TO_REAPER);
        }
        // from here on none of them can start
        List<RunningTask> returned = rest.stream()
                .filter(run -> run.task().reapable() || !run.isStarted())
                .toList();
        log.warn(
                "{} did not finish within '" + PropertyNames.WORKER_DRAIN_TIMEOUT
                        + "' ({}): {} given back, {} to be held for a person when their leases have expired, because they must not run twice",
                rest.stream().map(RunningTask::task).toList(),
                DurationText.of(drainTimeout),
                returned.size(),
                rest.size() - returned.size());
        rest.forEach(active.hanging()::add);
        rest.forEach(active::remove);
        giveBack(returned.stream().map(RunningTask::lease).collect(Collectors.toSet()), budget);
        returned.forEach(run -> state.later().dueIn(run.task().queue(), Duration.ZERO));
    }

    /** Retries rows that are locked for a while, for example by their own handler that rolls back. */
    private void giveBack(Set<Lease> returned, StopBudget budget) {
        Set<Lease> left = returned;
        try {
            while (!left.isEmpty()) {
                left = state.leases().giveBackUnlocked(left, Duration.ZERO).busy();
                if (left.isEmpty() || budget.left().isZero()) {
                    break;
                }
                LockSupport.parkNanos(LOCKED_PAUSE.toNanos());
            }
        } catch (DataAccessException e) {
            log.warn("The database gave no answer: {}", ErrorText.withoutMessages(e));
        }
        if (!left.isEmpty()) {
            log.warn(
                    "Tasks {} could not be given back and come back when their leases expire",
                    left.stream().map(Lease::taskId).sorted().toList());
        }
    }
}
