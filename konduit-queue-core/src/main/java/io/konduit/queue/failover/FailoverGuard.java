package io.konduit.queue.failover;

import io.konduit.queue.DatabaseWentBack;
import io.konduit.queue.DurationText;
import io.konduit.queue.TaskId;
import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.store.DatabaseMoment;
import io.konduit.queue.store.FailoverRepository;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the database has lost commits.
 *
 * <ol>
 *   <li>Every answer of the database tells its timeline and its start. While both stay the same, nothing is asked.
 *   <li>After a failover or a restart, this instance compares what it knows to be committed with what the database has:
 *       the number of its own beats, and the tasks that it enqueued last. If the database does not answer, the next
 *       answer leads to another try, together with what has happened since.
 *   <li>Something is missing: the queues are paused if that was asked for, then everybody is told. If the node dies
 *       before, the other instances tell what they know.
 * </ol>
 */
public final class FailoverGuard {
    /** Who pauses queues; the timeline follows. */
    public static final String ACTOR = "failover guard, timeline ";

    private static final Logger log = LoggerFactory.getLogger(FailoverGuard.class);
    private static final int MOST_IDS = 100;

    private final FailoverRepository store;
    private final AcknowledgedTasks acknowledged;
    private final FailoverSettings settings;
    private final Surroundings surroundings;
    private final LongSupplier nanoTime;
    private final BeatLog beats = new BeatLog();
    private @Nullable DatabaseMoment last;
    private @Nullable Change pending;
    private boolean checking;
    private volatile @Nullable DatabaseWentBack lastLoss;

    /** Whom the guard tells, and where it asks the database: not on the thread that keeps leases. */
    public record Surroundings(QueueEvents events, FailoverMonitor monitor, Executor executor) {
        /** A thread for each check: there is hardly ever one. */
        public static Executor ownThread() {
            return check -> {
                Thread thread = new Thread(check, "konduit-failover-check");
                thread.setDaemon(true);
                thread.start();
            };
        }
    }

    /** A failover or restart, and what the database must still have. */
    private record Change(
            long oldTimeline,
            DatabaseMoment moment,
            long noticedNanos,
            OptionalLong oldestLostBeat,
            Map<TaskId, Long> recent) {

        boolean isFailover() {
            return moment.timeline() != oldTimeline;
        }

        /** Both as one: nobody could ask in between. */
        Change and(Change later) {
            Map<TaskId, Long> both = new LinkedHashMap<>(recent);
            later.recent.forEach(both::putIfAbsent);
            return new Change(
                    oldTimeline, later.moment, noticedNanos, older(oldestLostBeat, later.oldestLostBeat), both);
        }

        Change without(List<TaskId> told) {
            Map<TaskId, Long> rest = new LinkedHashMap<>(recent);
            told.forEach(rest::remove);
            return new Change(oldTimeline, moment, noticedNanos, oldestLostBeat, rest);
        }
    }

    public FailoverGuard(
            FailoverRepository store,
            AcknowledgedTasks acknowledged,
            FailoverSettings settings,
            Surroundings surroundings,
            LongSupplier nanoTime) {
        this.store = store;
        this.acknowledged = acknowledged;
        this.settings = settings;
        this.surroundings = surroundings;
        this.nanoTime = nanoTime;
    }

    /** The last loss that this instance has noticed; null when there was none since its start. */
    public @Nullable DatabaseWentBack lastLoss() {
        return lastLoss;
    }

    /** Whether the database has answered yet: before that, a failover cannot be told from a start. */
    public synchronized boolean hasObserved() {
        return last != null;
    }

    /** The database has answered. */
    public void observed(DatabaseMoment moment) {
        if (settings.beating() && moment.beats() == null) {
            return; // the next beat tells more
        }
        Change change = toCheck(moment);
        if (change != null) {
            surroundings.executor().execute(() -> check(change));
        }
    }

    private synchronized @Nullable Change toCheck(DatabaseMoment moment) {
        long now = nanoTime.getAsLong();
        OptionalLong oldestLostBeat =
                moment.beats() == null ? OptionalLong.empty() : beats.acknowledged(moment.beats(), now);
        DatabaseMoment before = last;
        last = moment;
        if (before != null
                && (before.timeline() != moment.timeline()
                        || !before.startedAt().equals(moment.startedAt()))) {
            Change change = new Change(
                    before.timeline(),
                    moment,
                    now,
                    oldestLostBeat,
                    acknowledged.since(now - settings.memory().toNanos()));
            pending = pending == null ? change : pending.and(change);
        }
        if (pending == null || checking) {
            return null;
        }
        checking = true;
        Change next = pending;
        pending = null;
        return next;
    }

    private void check(Change change) {
        List<TaskId> told = null;
        try {
            told = judge(change);
        } catch (RuntimeException e) {
            log.warn(
                    "What a failover has lost could not be asked; it is tried again after the next answer of the database",
                    e);
        } finally {
            checked(change, told);
        }
    }

    /** @param told the tasks of which everybody knows now that they are gone; null when the check failed */
    private synchronized void checked(Change change, @Nullable List<TaskId> told) {
        checking = false;
        if (told == null) {
            pending = pending == null ? change : change.and(pending);
            return;
        }
        acknowledged.forget(told);
        if (pending != null) {
            pending = pending.without(told);
        }
    }

    private List<TaskId> judge(Change change) {
        List<TaskId> gone = change.recent().isEmpty()
                ? List.of()
                : store.missing(change.recent().keySet());
        OptionalLong oldestLost = oldest(change, gone);
        if (oldestLost.isPresent()) {
            // what a second failover lost may be younger than the first
            long nanos = Math.max(0, change.noticedNanos() - oldestLost.getAsLong());
            tell(change, gone, Duration.ofNanos(nanos));
        } else if (change.isFailover()) {
            log.info(
                    "The database failed over from timeline {} to {}. It has everything that this instance knows to be committed.",
                    change.oldTimeline(),
                    change.moment().timeline());
        }
        return gone;
    }

    private static OptionalLong oldest(Change change, List<TaskId> gone) {
        OptionalLong oldest = change.oldestLostBeat();
        for (TaskId id : gone) {
            oldest = older(oldest, OptionalLong.of(change.recent().getOrDefault(id, change.noticedNanos())));
        }
        return oldest;
    }

    private static OptionalLong older(OptionalLong one, OptionalLong other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() ? other : one;
        }
        // nanoTime may overflow: compared by difference
        return one.getAsLong() - other.getAsLong() <= 0 ? one : other;
    }

    private void tell(Change change, List<TaskId> gone, Duration atLeast) {
        DatabaseWentBack loss = new DatabaseWentBack(
                change.moment().moment(),
                change.oldTimeline(),
                change.moment().timeline(),
                atLeast,
                gone.size(),
                List.copyOf(gone.subList(0, Math.min(MOST_IDS, gone.size()))),
                pause(change));
        log.error(
                "The database has lost commits ({}), of at least the last {}. Of the tasks that this instance enqueued {} are gone: {}. "
                        + "Tasks that were completed in that time run again. Find out what your other systems know of that time and enqueue what is missing; "
                        + "see 'After a failover' in docs/operating.md.{}",
                change.isFailover()
                        ? "failover from timeline " + loss.oldTimeline() + " to " + loss.newTimeline()
                        : "restart on timeline " + loss.newTimeline(),
                DurationText.of(Duration.ofMillis(atLeast.toMillis())),
                loss.lostTasks(),
                loss.lostTaskIds(),
                loss.pausedQueues().isEmpty() ? "" : " Paused until a person resumes them: " + loss.pausedQueues());
        lastLoss = loss;
        surroundings.monitor().wentBack(loss.lostTasks());
        surroundings.events().publish(loss);
    }

    private List<String> pause(Change change) {
        List<String> paused = new ArrayList<>();
        for (String queue : settings.queuesToPause().get()) {
            if (store.pauseOnce(
                    queue,
                    actor(change),
                    "The database has lost commits. Resume the queue when what is missing has been enqueued again.")) {
                paused.add(queue);
            }
        }
        return List.copyOf(paused);
    }

    /**
     * The same for all instances that notice the same loss: also for one that notices a failover after the new primary was
     * restarted. A crash without failover stays on its timeline and has the start of the server besides.
     */
    private static String actor(Change change) {
        String timeline = ACTOR + change.moment().timeline();
        return change.isFailover()
                ? timeline
                : timeline + ", server started " + change.moment().startedAt();
    }
}
