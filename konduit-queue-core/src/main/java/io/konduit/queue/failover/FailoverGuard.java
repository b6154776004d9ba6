package io.konduit.queue.failover;

import io.konduit.queue.TaskId;
import io.konduit.queue.event.DatabaseWentBack;
import io.konduit.queue.settings.DurationText;
import io.konduit.queue.store.FailoverRepository;
import io.konduit.queue.store.ServerTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects that the database has lost commits.
 *
 * <ol>
 *   <li>Every answer of the database carries its timeline and start time. While both stay the same, nothing is checked.
 *   <li>After a failover or a restart, this instance compares what it knows to be committed with what the database has:
 *       the number of its own heartbeats, and the tasks that it enqueued last. If the database does not answer, the
 *       check is repeated after its next answer, together with what has happened since.
 *   <li>If something is missing, the queues are paused if configured, then the loss is logged and published. If the
 *       node dies before that, the other instances report what they know.
 * </ol>
 */
public final class FailoverGuard {
    /** The actor that pauses queues; the timeline is appended. */
    public static final String ACTOR = "failover guard, timeline ";

    private static final Logger log = LoggerFactory.getLogger(FailoverGuard.class);
    private static final int MAX_IDS = 100;

    private final FailoverRepository store;
    private final AcknowledgedTasks acknowledged;
    private final FailoverSettings settings;
    private final FailoverEvents events;
    private final LongSupplier nanoTime;
    private final BeatLog beats = new BeatLog();
    private @Nullable ServerTime last;
    private @Nullable Change pending;
    private boolean checking;
    private volatile @Nullable DatabaseWentBack lastLoss;

    /** A failover or restart, and what the database must still have. */
    private record Change(
            long oldTimeline,
            ServerTime serverTime,
            long noticedNanos,
            OptionalLong oldestLostBeat,
            Map<TaskId, Long> recent) {

        boolean isFailover() {
            return serverTime.timeline() != oldTimeline;
        }

        /** Merges two changes: nothing could be checked in between. */
        Change and(Change later) {
            Map<TaskId, Long> both = new LinkedHashMap<>(recent);
            later.recent.forEach(both::putIfAbsent);
            return new Change(
                    oldTimeline, later.serverTime, noticedNanos, older(oldestLostBeat, later.oldestLostBeat), both);
        }

        Change without(List<TaskId> reported) {
            Map<TaskId, Long> rest = new LinkedHashMap<>(recent);
            reported.forEach(rest::remove);
            return new Change(oldTimeline, serverTime, noticedNanos, oldestLostBeat, rest);
        }
    }

    public FailoverGuard(
            FailoverRepository store,
            AcknowledgedTasks acknowledged,
            FailoverSettings settings,
            FailoverEvents events,
            LongSupplier nanoTime) {
        this.store = store;
        this.acknowledged = acknowledged;
        this.settings = settings;
        this.events = events;
        this.nanoTime = nanoTime;
    }

    /** The last loss that this instance has noticed; null when there was none since its start. */
    public @Nullable DatabaseWentBack lastLoss() {
        return lastLoss;
    }

    /** Whether the database has answered yet. Before that, a failover cannot be distinguished from a start. */
    public synchronized boolean hasObserved() {
        return last != null;
    }

    /** Whether the database has acknowledged a task recently enough that it would be checked. */
    boolean answersForTasks() {
        return acknowledged.hasSince(nanoTime.getAsLong() - settings.memory().toNanos());
    }

    /** The database has answered. */
    public void observed(ServerTime serverTime) {
        if (settings.beating() && serverTime.beats() == null) {
            return; // the next heartbeat has the count
        }
        Change change = toCheck(serverTime);
        if (change != null) {
            settings.checks().execute(() -> check(change));
        }
    }

    private synchronized @Nullable Change toCheck(ServerTime serverTime) {
        long now = nanoTime.getAsLong();
        OptionalLong oldestLostBeat =
                serverTime.beats() == null ? OptionalLong.empty() : beats.acknowledged(serverTime.beats(), now);
        ServerTime before = last;
        last = serverTime;
        if (before != null
                && (before.timeline() != serverTime.timeline()
                        || !before.startedAt().equals(serverTime.startedAt()))) {
            Change change = new Change(
                    before.timeline(),
                    serverTime,
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
        List<TaskId> reported = null;
        try {
            reported = judge(change);
        } catch (RuntimeException e) {
            log.warn("Could not check what a failover has lost; will retry after the next answer of the database", e);
        } finally {
            checked(change, reported);
        }
    }

    /** @param reported the tasks that were reported as lost; null when the check failed */
    private synchronized void checked(Change change, @Nullable List<TaskId> reported) {
        checking = false;
        if (reported == null) {
            pending = pending == null ? change : change.and(pending);
            return;
        }
        acknowledged.forget(reported);
        if (pending != null) {
            pending = pending.without(reported);
        }
    }

    private List<TaskId> judge(Change change) {
        List<TaskId> gone = change.recent().isEmpty()
                ? List.of()
                : store.missing(change.recent().keySet());
        OptionalLong oldestLost = oldest(change, gone);
        if (oldestLost.isPresent()) {
            // what a second failover lost may be more recent than the first loss
            long nanos = Math.max(0, change.noticedNanos() - oldestLost.getAsLong());
            tell(change, gone, Duration.ofNanos(nanos));
        } else if (change.isFailover()) {
            log.info(
                    "The database failed over from timeline {} to {}. It has everything that this instance knows to be committed.",
                    change.oldTimeline(),
                    change.serverTime().timeline());
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
                change.serverTime().time(),
                change.oldTimeline(),
                change.serverTime().timeline(),
                atLeast,
                gone.size(),
                List.copyOf(gone.subList(0, Math.min(MAX_IDS, gone.size()))),
                pause(change));
        log.error(
                "The database has lost commits ({}), of at least the last {}. Of the tasks that this instance enqueued, {} are gone: {}. Tasks that were completed in that period run again. Find out what your other systems know about that period and enqueue what is missing; "
                        + "see 'After a failover' in docs/operating.md.{}",
                change.isFailover()
                        ? "failover from timeline " + loss.oldTimeline() + " to " + loss.newTimeline()
                        : "restart on timeline " + loss.newTimeline(),
                DurationText.of(Duration.ofMillis(atLeast.toMillis())),
                loss.lostTasks(),
                loss.lostTaskIds(),
                loss.pausedQueues().isEmpty() ? "" : " Paused until a person resumes them: " + loss.pausedQueues());
        lastLoss = loss;
        events.wentBack(loss);
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
     * The same for all instances that notice the same loss, even for one that notices a failover only after the new
     * primary was restarted. A crash without failover keeps its timeline, so the server's start time is added.
     */
    private static String actor(Change change) {
        String timeline = ACTOR + change.serverTime().timeline();
        return change.isFailover()
                ? timeline
                : timeline + ", server started " + change.serverTime().startedAt();
    }
}
