package io.konduit.queue.worker;

import io.konduit.queue.enqueue.TaskWakeUp;
import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.settings.WorkerSettings;
import io.konduit.queue.store.Claim;
import io.konduit.queue.store.ClaimRequest;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.NextDue;
import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Claims tasks for one slot group and hands them to its slots. While tasks keep coming it claims again at once. With
 * nothing due it waits for a wake-up, at most the poll interval.
 *
 * <p>While notifications arrive, it also asks when the next task is due, and looks exactly then. Its other looks become
 * rarer for as long as they find nothing, because they only find what nobody announced. Something due that it cannot
 * take keeps them frequent: nobody announces when that becomes possible.
 */
final class TaskPoller {
    private static final Logger log = LoggerFactory.getLogger(TaskPoller.class);
    private static final Duration LONGEST_BUFFERED = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final long ROOM_CHECK_MILLIS = 100;
    private static final long DRAINING_CHECK_MILLIS = 1_000;
    /** A look a little too early would find nothing. */
    private static final long AFTER_DUE_NANOS = Duration.ofMillis(1).toNanos();

    private final SlotGroup group;
    private final WorkerSettings settings;
    private final WorkerState node;
    private final LongSupplier nanoTime;
    private final ClaimRoom room;
    private final ClaimBounds bounds;
    private final PayloadBudget budget;
    private final WakeUpPause wakeUps;
    private final PollSignal signal;
    private final SlotBuffer buffer;
    private final SlotRunner slots;
    private final long shortestIdleNanos;
    private final long longestIdleNanos;
    private boolean failing;
    private boolean woken;
    private boolean planned;
    private long idleNanos;
    private long sentNanos;
    /** Whether nothing becomes due before the planned look without a notification. */
    private boolean knowsNext;

    private volatile boolean mayHaveMissed;

    TaskPoller(SlotGroup group, WorkerSettings settings, PayloadBudget budget, WorkerState node) {
        this.group = group;
        this.settings = settings;
        this.budget = budget;
        this.node = node;
        this.nanoTime = node.nanoTime();
        this.signal = new PollSignal(nanoTime);
        this.shortestIdleNanos = settings.pollInterval().toNanos();
        this.longestIdleNanos = Math.max(shortestIdleNanos, TaskWakeUp.FORESIGHT.toNanos());
        this.idleNanos = shortestIdleNanos;
        this.room = new ClaimRoom(group.slots(), budget, signal, nanoTime);
        this.bounds = new ClaimBounds(group.queues(), nanoTime);
        this.wakeUps = new WakeUpPause(node.jitter());
        this.buffer = new SlotBuffer(nanoTime);
        this.slots = new SlotRunner(
                group, node, buffer, room.load(), room.ahead(), new GatedRuns(node, settings.isolateAfter()));
    }

    SlotGroup group() {
        return group;
    }

    /** Something may be due in this slot group's queues. */
    void tasksDue() {
        signal.tasksDue();
    }

    /** Something becomes due in this slot group's queues after this time. */
    void tasksDueIn(Duration delay) {
        if (delay.compareTo(TaskWakeUp.FORESIGHT) < 0) {
            signal.lookWithin(delay.toNanos());
        }
    }

    /** Notifications may have been missed, or the database's clock has jumped. */
    void lookAgain() {
        mayHaveMissed = true;
        signal.tasksDue();
    }

    /** Runs the claimed tasks. */
    SlotRunner slots() {
        return slots;
    }

    /** Stops claiming. Slots end when they have finished their runs. */
    void stop() {
        try {
            buffer.stop(group.slots(), this::giveBack);
        } finally {
            signal.end();
        }
    }

    /** The loop of the slot group's claiming thread. */
    void claimLoop() {
        claimUntilStopped();
        node.lostClaims().lastLooks();
    }

    private void claimUntilStopped() {
        while (!buffer.isStopped()) {
            QueueThreads.stepped();
            Next next = claimOnce();
            try {
                await(next);
            } catch (InterruptedException e) {
                log.debug("The poller of queues {} was interrupted and goes on", group.queues());
            }
        }
    }

    /** What the claiming thread waits for before its next step. */
    enum Next {
        /** Nothing: more tasks may be due. */
        AT_ONCE,
        /** A short time, until something in this worker ends. */
        ROOM,
        /** A due task, at most the poll interval. */
        DUE,
        /** The same after a useless wake-up: rests first. */
        DUE_AFTER_REST,
        /** A pause: the database has failed. */
        PAUSE
    }

    /** One step of the claiming thread: at most one claim. Never waits for anything but the database. */
    Next claimOnce() {
        try {
            node.lostClaims().lookIfDue();
            room.load().reconcile(node.active().isEmpty() && buffer.isEmpty());
            boolean draining = node.drain().isOn();
            // a buffered task would be charged for the crash of a suspect
            returnBuffered(draining || node.gate().isClosing() ? Duration.ZERO : LONGEST_BUFFERED);
            if (draining || node.health().isFailing() || node.gate().isClosing()) {
                return Next.ROOM;
            }
            int limit = room.free();
            if (limit <= 0) {
                return limit == ClaimRoom.LOOK_AGAIN ? Next.AT_ONCE : Next.ROOM;
            }
            if (!node.gate().enter()) {
                return Next.AT_ONCE;
            }
            Found found;
            try {
                found = claim(limit);
            } finally {
                node.gate().leave();
            }
            failing = false;
            if (found == Found.MORE) {
                return Next.AT_ONCE;
            }
            planNext(found);
            return found == Found.NOTHING && (woken || planned) ? Next.DUE_AFTER_REST : Next.DUE;
        } catch (DataAccessException e) {
            budget.failed();
            if (!failing) {
                failing = true;
                node.health().cannotPoll(group.queues(), e);
            }
            return Next.PAUSE;
        } catch (RuntimeException e) {
            log.error("The poller of queues {} failed unexpectedly and continues", group.queues(), e);
            return Next.PAUSE;
        }
    }

    private void await(Next next) throws InterruptedException {
        switch (next) {
            case AT_ONCE -> {}
            case ROOM -> signal.awaitRoom(node.drain().isOn() ? DRAINING_CHECK_MILLIS : ROOM_CHECK_MILLIS);
            case PAUSE -> pause();
            case DUE, DUE_AFTER_REST -> {
                if (next == Next.DUE_AFTER_REST) {
                    signal.rest(Math.min(wakeUps.inVain(), shortestIdleNanos));
                }
                woken = signal.awaitDue(
                        Math.min(jittered(longestWait()), node.lostClaims().nanosToLook()));
                knowsNext &= woken;
            }
        }
    }

    /** What a claim says about the tasks that are due. */
    private enum Found {
        NOTHING,
        ALL,
        /** More may be due than the claim returned. */
        MORE
    }

    private Found claim(int limit) {
        signal.clearDue();
        planned = signal.takeLook();
        if (planned || mayHaveMissed) {
            mayHaveMissed = false;
            knowsNext = false;
        }
        boolean announce = node.mustAnnounce();
        ClaimRequest request = new ClaimRequest(
                bounds.probes(),
                limit,
                settings.lockTimeout(),
                node.maxAttempts(),
                node.handlers().declared(),
                node.handlers().types(),
                budget.left(),
                node.active().hanging().taskIds(),
                announce);
        long sent = nanoTime.getAsLong();
        sentNanos = sent;
        Claim claim = claimAndAccept(request, sent);
        List<ClaimedTask> claimed = claim.tasks();
        boolean full = claimed.size() == limit || claim.moreFound();
        bounds.looked(request.probes(), claimed, full, sent);
        budget.learn(claimed);
        if (!claimed.isEmpty()) {
            log.debug("Claimed {} tasks", claimed.size());
            wakeUps.brought();
            node.claimed(announce, sent);
        }
        if (full) {
            return Found.MORE;
        }
        if (!node.hearsOfTasks()) {
            node.unknownTypes().lookIfDue(group.queues());
        }
        return claimed.isEmpty() ? Found.NOTHING : Found.ALL;
    }

    /** Whatever happens between the claim and accepting its last task, no task is forgotten. */
    private Claim claimAndAccept(ClaimRequest request, long sent) {
        LostClaims.Ticket ticket = node.lostClaims().begin();
        Claim claim;
        try {
            claim = node.leases().claim(request);
            node.lostClaims().received(ticket, claim.atMicros());
        } catch (RuntimeException | Error e) {
            node.lostClaims().failed(ticket, e);
            throw e;
        }
        List<ClaimedTask> tasks = claim.tasks();
        int accepted = 0;
        try {
            for (; accepted < tasks.size(); accepted++) {
                accept(tasks.get(accepted), sent);
            }
        } finally {
            if (accepted < tasks.size()) {
                node.lostClaims()
                        .notAccepted(tasks.subList(accepted, tasks.size()).stream()
                                .map(ClaimedTask::lease)
                                .toList());
            }
        }
        return claim;
    }

    private void accept(ClaimedTask task, long sent) {
        Optional<JobHandlerMethod> handler = node.handlers().find(task.type());
        Duration limit = task.timeout();
        if (limit == null) {
            limit = handler.map(JobHandlerMethod::timeout).orElse(settings.timeout());
        }
        RunningTask run = new RunningTask(task, limit, sent, node.active().witness());
        boolean known = false;
        try {
            boolean mayRun = node.active().add(run);
            node.cancels().claimed(run);
            run.countIn(room.load());
            if (!mayRun || !buffer.add(run)) {
                node.completer().report(new Outcome.GivenBack(run, Duration.ZERO));
            }
            known = true;
        } finally {
            if (!known) {
                node.active().letGo(run);
            }
        }
    }

    /** Gives back tasks that have waited for a slot for longer than this: the estimate for claiming ahead was wrong. */
    private void returnBuffered(Duration waited) {
        if (buffer.returnIfWaited(waited, this::giveBack) && !waited.isZero()) {
            room.ahead().gaveBack();
        }
    }

    private void giveBack(RunningTask run) {
        boolean reported = false;
        try {
            node.completer().report(new Outcome.GivenBack(run, Duration.ZERO));
            reported = true;
        } finally {
            if (!reported) {
                node.active().letGo(run);
                node.lostClaims().notAccepted(List.of(run.lease()));
            }
        }
    }

    /** After a claim that took everything it could. */
    private void planNext(Found found) {
        if (!node.hearsOfTasks()) {
            knowsNext = false;
            idleNanos = shortestIdleNanos;
            return;
        }
        if (found != Found.NOTHING || woken) {
            idleNanos = shortestIdleNanos;
        }
        if (!knowsNext) {
            askForNext(found == Found.NOTHING && !woken);
        }
    }

    /**
     * A task that is committed after this was read is announced.
     *
     * @param longer whether the wait may be longer than the last one was
     */
    private void askForNext(boolean longer) {
        try {
            NextDue next = node.leases().nextDue(group.queues(), Duration.ofNanos(nanoTime.getAsLong() - sentNanos));
            knowsNext = true;
            if (next.overdue()) {
                idleNanos = shortestIdleNanos;
                node.unknownTypes().lookIfDue(group.queues());
            } else if (longer) {
                idleNanos = Math.min(longestIdleNanos, 2 * idleNanos);
            }
            Duration in = next.in();
            if (in != null && in.compareTo(TaskWakeUp.FORESIGHT) < 0) {
                signal.lookWithin(Math.max(0, in.toNanos()) + AFTER_DUE_NANOS);
            }
        } catch (DataAccessException e) {
            log.debug("When the next task of queues {} is due cannot be read now", group.queues(), e);
            idleNanos = shortestIdleNanos;
        }
    }

    /** Buffered tasks must not wait until the next poll, which may be long after. */
    private long longestWait() {
        long wait = node.hearsOfTasks() ? idleNanos : shortestIdleNanos;
        return buffer.isEmpty() ? wait : Math.min(wait, LONGEST_BUFFERED.toNanos());
    }

    /** After an error: the poll interval may be long, and the database may be back soon. */
    private void pause() {
        try {
            TimeUnit.NANOSECONDS.sleep(jittered(Math.min(shortestIdleNanos, LONGEST_PAUSE.toNanos())));
        } catch (InterruptedException e) {
            log.debug("The poller of queues {} was interrupted and goes on", group.queues());
        }
    }

    private long jittered(long nanos) {
        return node.jitter().ofNanos(nanos, 0.9);
    }
}
