package io.konduit.queue.worker;

import io.konduit.queue.DurationText;
import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.store.Claim;
import io.konduit.queue.store.ClaimRequest;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.LeaseRepository;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Claims tasks for one lane and hands them to its slots. Busy: claims again at once. Nothing due: waits for a wake-up,
 * at most the poll interval.
 */
final class TaskPoller {
    private static final Logger log = LoggerFactory.getLogger(TaskPoller.class);
    private static final Duration LONGEST_BUFFERED = Duration.ofSeconds(1);
    /** Before a suspect comes back that could not run alone soon. */
    private static final Duration SUSPECT_PAUSE = Duration.ofMinutes(1);
    /** Before a suspect comes back when it was not its turn, at least. */
    private static final Duration NEXT_TURN = Duration.ofSeconds(1);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final long ROOM_CHECK_MILLIS = 100;
    private static final long STALL_CHECK_MILLIS = 10;

    private final Lane lane;
    private final WorkerSettings settings;
    private final int maxAttempts;
    private final Node node;
    private final ClaimAhead ahead;
    private final ClaimBounds bounds;
    private final PayloadBudget budget;
    private final WakeUpPause wakeUps = new WakeUpPause();
    private final PollSignal signal = new PollSignal();
    private final LinkedBlockingQueue<Entry> buffer = new LinkedBlockingQueue<>();
    private final LaneLoad load;
    private final AtomicInteger slotsStarted = new AtomicInteger();
    private volatile Wanted wanted = new Wanted(0, 0);
    private volatile boolean stopped;

    /** What waits for a slot: a task, or null for a slot that is to end. An idle slot then waits without looking around. */
    private record Entry(@Nullable Execution execution) {
        static final Entry END = new Entry(null);
    }

    /** At how much load another claim is worth its while. */
    private record Wanted(int ahead, int occupied) {}

    /** What all pollers of a worker share. */
    record Node(
            LeaseRepository leases,
            ActiveLeases active,
            ControlHealth health,
            KnownHandlers handlers,
            UnknownTypes unknownTypes,
            LostClaims lostClaims,
            TaskRunner runner,
            Completer completer,
            LeaseKeeper keeper,
            IsolationGate gate,
            Drain drain,
            CancelNotices cancels,
            WorkerEvents events) {}

    TaskPoller(Lane lane, WorkerSettings settings, int maxAttempts, PayloadBudget budget, Node node) {
        this.lane = lane;
        this.settings = settings;
        this.maxAttempts = maxAttempts;
        this.budget = budget;
        this.node = node;
        this.ahead = new ClaimAhead(lane.slots());
        this.load = new LaneLoad(lane.slots(), this::settled);
        this.bounds = new ClaimBounds(lane.queues(), System::nanoTime);
    }

    Lane lane() {
        return lane;
    }

    /** Something may be due in this lane's queues. */
    void tasksDue() {
        signal.tasksDue();
    }

    /** No more claims; slots end when they have finished what they run. */
    void stop() {
        synchronized (buffer) {
            // from here on nothing is added: what a claim brings later is given back
            stopped = true;
        }
        signal.end();
        returnBuffered();
        for (int i = 0; i < lane.slots(); i++) {
            buffer.add(Entry.END);
        }
    }

    /** The loop of the lane's claiming thread. */
    void claimLoop() {
        claimUntilStopped();
        node.lostClaims().lastLooks();
    }

    private void claimUntilStopped() {
        boolean failing = false;
        boolean woken = false;
        while (!stopped) {
            try {
                WorkerThreads.stepped();
                node.lostClaims().lookIfDue();
                load.reconcile(node.active().isEmpty() && buffer.isEmpty());
                boolean draining = node.drain().isOn();
                // what waits for a slot would be charged for the crash of a suspect
                returnBuffered(draining || node.gate().isClosing() ? Duration.ZERO : LONGEST_BUFFERED);
                if (draining || node.health().isFailing() || node.gate().isClosing()) {
                    signal.awaitRoom(ROOM_CHECK_MILLIS);
                    continue;
                }
                int room = awaitMemory(awaitRoom());
                if (room == 0 || !node.gate().enter()) {
                    continue;
                }
                Found found;
                try {
                    found = claim(room);
                } finally {
                    node.gate().leave();
                }
                failing = false;
                if (found != Found.MORE) {
                    if (found == Found.NOTHING && woken) {
                        signal.rest(Math.min(
                                wakeUps.inVain(), settings.pollInterval().toNanos()));
                    }
                    woken = signal.awaitDue(Math.min(
                            jittered(shorter(settings.pollInterval(), nextLook())),
                            node.lostClaims().nanosToLook()));
                }
            } catch (DataAccessException e) {
                budget.failed();
                if (!failing) {
                    failing = true;
                    node.health().cannotPoll(lane.queues(), e);
                }
                pause();
            } catch (InterruptedException e) {
                log.debug("The poller of queues {} was interrupted and goes on", lane.queues());
            } catch (RuntimeException e) {
                log.error("The poller of queues {} met an unexpected error and goes on", lane.queues(), e);
                pause();
            }
        }
    }

    /** The loop of one slot. */
    void slotLoop() {
        int slot = slotsStarted.getAndIncrement() % lane.slots();
        while (true) {
            try {
                while (load.isStalled() && !stopped) {
                    TimeUnit.MILLISECONDS.sleep(STALL_CHECK_MILLIS);
                }
                Execution execution = buffer.take().execution();
                if (execution == null) {
                    return;
                }
                ahead.begins(slot, System.nanoTime());
                try {
                    process(execution);
                } finally {
                    ahead.ends(slot);
                }
            } catch (InterruptedException e) {
                if (stopped) {
                    return;
                }
            } catch (RuntimeException | Error e) {
                log.error("A slot of queues {} met an unexpected error and goes on", lane.queues(), e);
            }
        }
    }

    /** What a claim says of the tasks that are due. */
    private enum Found {
        NOTHING,
        ALL,
        /** More may be due than it brought. */
        MORE
    }

    private Found claim(int most) {
        signal.clearDue();
        ClaimRequest request = new ClaimRequest(
                bounds.probes(),
                most,
                settings.lockTimeout(),
                maxAttempts,
                node.handlers().declared(),
                node.handlers().types(),
                budget.left(),
                node.active().hanging().taskIds());
        long sent = System.nanoTime();
        Claim claim = claimAndAccept(request, sent);
        List<ClaimedTask> claimed = claim.tasks();
        boolean full = claimed.size() == most || claim.moreFound();
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
        node.unknownTypes().lookIfDue(lane.queues());
        return claimed.isEmpty() ? Found.NOTHING : Found.ALL;
    }

    /** Whatever happens between the claim and the last task's being known here, none of them is forgotten. */
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
        Execution execution = new Execution(task, limit, sent);
        boolean known = false;
        try {
            boolean mayRun = node.active().add(execution);
            node.cancels().claimed(execution);
            execution.countIn(load);
            if (!mayRun || !awaitsSlot(execution)) {
                node.completer().report(new Outcome.GivenBack(execution, Duration.ZERO));
            }
            known = true;
        } finally {
            if (!known) {
                letGo(execution);
            }
        }
    }

    /** Not extended any more, and no longer counted. */
    private void letGo(Execution execution) {
        node.active().remove(execution);
        execution.settled();
    }

    /** Hands a task to the slots, unless they are about to end. */
    private boolean awaitsSlot(Execution execution) {
        synchronized (buffer) {
            return !stopped && buffer.add(new Entry(execution));
        }
    }

    private void process(Execution execution) throws InterruptedException {
        boolean reported = false;
        try {
            node.completer().report(runGated(execution));
            reported = true;
        } finally {
            if (!reported) {
                // the lease ends and the reaper takes the task back
                letGo(execution);
            }
        }
    }

    /** The outcome of a lease of this lane is written, refused or given up. */
    private void settled(Execution execution) {
        if (!execution.hasRun()) {
            // given back
        } else if (execution.task().reapable()) {
            ahead.ran(execution.took().toNanos());
        } else {
            ahead.ranOnlyOnce();
        }
        Wanted room = wanted;
        if (load.occupied(room.ahead()) <= room.occupied()) {
            signal.roomMade();
        }
    }

    private Outcome runGated(Execution execution) throws InterruptedException {
        return execution.lease().zombieCount() >= settings.isolateAfter()
                ? runAlone(execution)
                : runAmongOthers(execution);
    }

    private Outcome runAmongOthers(Execution execution) {
        if (!node.gate().enter()) {
            log.debug("{} is given back: another task has to run alone in this worker", execution.task());
            return new Outcome.GivenBack(execution, Duration.ZERO);
        }
        try {
            return run(execution);
        } finally {
            node.gate().leave();
        }
    }

    /**
     * L18: alone means that this worker has no other lease, not even of a task that waits or whose outcome does. Behind a
     * run that does not end soon the gate is not closed at all.
     */
    private Outcome runAlone(Execution execution) throws InterruptedException {
        IsolationGate gate = node.gate();
        Duration patience = gate.patience();
        if (hasRunLongerThan(patience)) {
            log.debug(
                    "{} has to run alone and is given back: another task has been running for long", execution.task());
            return turnedAway(execution);
        }
        if (!gate.close()) {
            log.debug("{} is given back: it is not its turn to run alone in this worker", execution.task());
            return new Outcome.GivenBack(execution, shorter(SUSPECT_PAUSE, longer(NEXT_TURN, gate.rest())));
        }
        try {
            if (!gate.awaitAlone(patience, () -> node.active().hasOnly(execution))) {
                log.debug("{} had to wait too long to run alone and is given back", execution.task());
                return turnedAway(execution);
            }
            return run(execution);
        } finally {
            gate.open();
        }
    }

    private Outcome turnedAway(Execution suspect) {
        if (node.gate().turnAway()) {
            log.warn(
                    "{} has lost {} workers and has to run alone. This worker has not been free of long runs for {}. Start another worker, or move the long runs to a queue with workers of its own.",
                    suspect.task(),
                    suspect.lease().zombieCount(),
                    DurationText.of(IsolationGate.OVERDUE));
        }
        return new Outcome.GivenBack(suspect, SUSPECT_PAUSE);
    }

    private boolean hasRunLongerThan(Duration patience) {
        long now = System.nanoTime();
        return node.active().all().stream().anyMatch(other -> other.runsSince(patience.toNanos(), now));
    }

    private Outcome run(Execution execution) {
        Optional<JobHandlerMethod> handler =
                node.handlers().find(execution.task().type());
        if (handler.isEmpty()) {
            return new Outcome.GivenBack(execution, Duration.ZERO);
        }
        node.events().started(execution);
        return node.runner().run(execution, handler.get());
    }

    /** Waits until enough is free to be worth a claim; zero when it should look around first. */
    private int awaitRoom() throws InterruptedException {
        int allowance = ahead.allowance(System.nanoTime());
        int target = lane.slots() + allowance;
        int worthwhile = target > 2 * lane.slots() ? target / 2 : 1;
        int room = target - load.occupied(allowance);
        if (room >= worthwhile) {
            return room;
        }
        wanted = new Wanted(allowance, target - worthwhile);
        signal.wantRoom();
        if (load.occupied(allowance) > target - worthwhile) {
            signal.awaitRoom(ROOM_CHECK_MILLIS);
        }
        return 0;
    }

    /** How many of them the payloads that this worker holds leave room for; zero when it should look around first. */
    private int awaitMemory(int room) throws InterruptedException {
        int rows = budget.rows(room);
        if (rows == 0 && room > 0) {
            signal.wantRoom();
            signal.awaitRoom(ROOM_CHECK_MILLIS);
        }
        return rows;
    }

    /** Gives back what has waited for a slot for longer than this: claimed ahead on an estimate that did not hold. */
    private void returnBuffered(Duration waited) {
        Entry oldest = buffer.peek();
        if (oldest != null
                && oldest.execution() != null
                && System.nanoTime() - oldest.execution().claimedNanos() >= waited.toNanos()) {
            returnBuffered();
            if (!waited.isZero()) {
                ahead.gaveBack();
            }
        }
    }

    private void returnBuffered() {
        int ends = 0;
        try {
            for (Entry entry = buffer.poll(); entry != null; entry = buffer.poll()) {
                if (entry.execution() == null) {
                    ends++;
                } else {
                    giveBack(entry.execution());
                }
            }
        } finally {
            for (; ends > 0; ends--) {
                buffer.add(Entry.END);
            }
        }
    }

    private void giveBack(Execution execution) {
        boolean reported = false;
        try {
            node.completer().report(new Outcome.GivenBack(execution, Duration.ZERO));
            reported = true;
        } finally {
            if (!reported) {
                letGo(execution);
                node.lostClaims().notAccepted(List.of(execution.lease()));
            }
        }
    }

    /** What was claimed ahead must not wait for a slot until the next poll, which may be long after. */
    private Duration nextLook() {
        return buffer.isEmpty() ? settings.pollInterval() : LONGEST_BUFFERED;
    }

    /** After an error: the poll interval may be long, and the database may be back soon. */
    private void pause() {
        try {
            TimeUnit.NANOSECONDS.sleep(jittered(shorter(settings.pollInterval(), LONGEST_PAUSE)));
        } catch (InterruptedException e) {
            log.debug("The poller of queues {} was interrupted and goes on", lane.queues());
        }
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static long jittered(Duration interval) {
        return (long)
                (interval.toNanos() * (0.9 + 0.1 * ThreadLocalRandom.current().nextDouble()));
    }
}
