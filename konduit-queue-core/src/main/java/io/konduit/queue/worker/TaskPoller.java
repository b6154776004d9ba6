package io.konduit.queue.worker;

import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.settings.WorkerSettings;
import io.konduit.queue.store.Claim;
import io.konduit.queue.store.ClaimRequest;
import io.konduit.queue.store.ClaimedTask;
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
 */
final class TaskPoller {
    private static final Logger log = LoggerFactory.getLogger(TaskPoller.class);
    private static final Duration LONGEST_BUFFERED = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final long ROOM_CHECK_MILLIS = 100;

    private final SlotGroup group;
    private final WorkerSettings settings;
    private final WorkerState node;
    private final LongSupplier nanoTime;
    private final ClaimRoom room;
    private final ClaimBounds bounds;
    private final PayloadBudget budget;
    private final WakeUpPause wakeUps;
    private final PollSignal signal = new PollSignal();
    private final SlotBuffer buffer;
    private final SlotRunner slots;
    private boolean failing;
    private boolean woken;

    TaskPoller(SlotGroup group, WorkerSettings settings, PayloadBudget budget, WorkerState node) {
        this.group = group;
        this.settings = settings;
        this.budget = budget;
        this.node = node;
        this.nanoTime = node.nanoTime();
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
            return found == Found.NOTHING && woken ? Next.DUE_AFTER_REST : Next.DUE;
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
            case ROOM -> signal.awaitRoom(ROOM_CHECK_MILLIS);
            case PAUSE -> pause();
            case DUE, DUE_AFTER_REST -> {
                if (next == Next.DUE_AFTER_REST) {
                    signal.rest(
                            Math.min(wakeUps.inVain(), settings.pollInterval().toNanos()));
                }
                woken = signal.awaitDue(Math.min(
                        jittered(shorter(settings.pollInterval(), nextLook())),
                        node.lostClaims().nanosToLook()));
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
        ClaimRequest request = new ClaimRequest(
                bounds.probes(),
                limit,
                settings.lockTimeout(),
                node.maxAttempts(),
                node.handlers().declared(),
                node.handlers().types(),
                budget.left(),
                node.active().hanging().taskIds());
        long sent = nanoTime.getAsLong();
        Claim claim = claimAndAccept(request, sent);
        List<ClaimedTask> claimed = claim.tasks();
        boolean full = claimed.size() == limit || claim.moreFound();
        bounds.looked(request.probes(), claimed, full, sent);
        budget.learn(claimed);
        if (!claimed.isEmpty()) {
            log.debug("Claimed {} tasks", claimed.size());
            wakeUps.brought();
            node.keeper().wake();
        }
        if (full) {
            return Found.MORE;
        }
        node.unknownTypes().lookIfDue(group.queues());
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

    /** Buffered tasks must not wait until the next poll, which may be long after. */
    private Duration nextLook() {
        return buffer.isEmpty() ? settings.pollInterval() : LONGEST_BUFFERED;
    }

    /** After an error: the poll interval may be long, and the database may be back soon. */
    private void pause() {
        try {
            TimeUnit.NANOSECONDS.sleep(jittered(shorter(settings.pollInterval(), LONGEST_PAUSE)));
        } catch (InterruptedException e) {
            log.debug("The poller of queues {} was interrupted and goes on", group.queues());
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private long jittered(Duration interval) {
        return node.jitter().ofNanos(interval.toNanos(), 0.9);
    }
}
