package io.konduit.queue.worker;

import io.konduit.queue.failover.Activity;
import io.konduit.queue.settings.WorkerSettings;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.thread.Jitter;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** State that the loops of one start of a worker share. Creating it starts no thread and sends no statement. */
final class WorkerState {
    private final WorkerParts parts;
    private final List<SlotGroup> groups;
    private final int maxAttempts;
    private final ControlHealth health = new ControlHealth();
    private final IsolationGate gate;
    private final Witness witness;
    private final ActiveLeases active;
    private final KnownHandlers handlers;
    private final UnknownTypes unknownTypes;
    private final LostClaims lostClaims;
    private final Completer completer;
    private final LeaseKeeper keeper;
    private final LeaseWatchdog watchdog;
    private final CancelNotices cancels;
    private final BooleanSupplier hearsNotifications;
    private final Activity activity;
    private volatile Runnable timeJumped = () -> {};

    /**
     * @param parts for the queues that the worker serves
     * @param hanging runs of earlier starts of this worker
     * @param hearsNotifications whether they come in
     */
    WorkerState(WorkerParts parts, HangingRuns hanging, BooleanSupplier hearsNotifications) {
        WorkerSettings settings = parts.settings();
        LeaseRepository leases = parts.store().leases();
        LongSupplier nanoTime = parts.runtime().nanoTime();
        this.parts = parts;
        this.hearsNotifications = hearsNotifications;
        this.activity = parts.runtime().activity();
        this.groups = SlotGroup.of(settings);
        this.maxAttempts = parts.runner().maxAttempts();
        this.gate = new IsolationGate(nanoTime);
        this.witness = new Witness(parts.store().witness().settings().grace());
        this.active = new ActiveLeases(hanging, witness);
        this.handlers = new KnownHandlers(parts.runner().handlers());
        this.unknownTypes = new UnknownTypes(leases, handlers, nanoTime);
        this.lostClaims =
                new LostClaims(leases, active, settings.heartbeatInterval(), nanoTime, delay -> settings.queues()
                        .forEach(queue -> later().dueIn(queue, delay)));
        this.completer = new Completer(
                leases,
                parts.store().incidents(),
                active,
                parts.events(),
                parts.store().later(),
                nanoTime);
        this.keeper = new LeaseKeeper(
                leases,
                active,
                health,
                parts.events(),
                new LeaseKeeper.Beat(this::beat, settings.heartbeatInterval(), hearsNotifications),
                nanoTime);
        this.watchdog = new LeaseWatchdog(active, parts.events(), settings.warnAfter(), nanoTime);
        this.cancels = new CancelNotices(active, keeper::wake);
    }

    /** Registers this worker or sends its heartbeat. True when all leases should be extended at once. */
    boolean beat() {
        boolean alarm = parts.store().registry().beat(parts.settings().queues(), slots());
        if (alarm) {
            timeJumped.run();
        }
        return alarm;
    }

    /** Called after an outage or a jump of the database's clock: tasks may be due earlier than expected. */
    void whenTimeJumps(Runnable lookAgain) {
        timeJumped = lookAgain;
    }

    int slots() {
        return groups.stream().mapToInt(SlotGroup::slots).sum();
    }

    /** A poller for each slot group. */
    List<TaskPoller> newPollers() {
        long payloads = PayloadBudget.ofHeap(Runtime.getRuntime().maxMemory());
        return groups.stream()
                .map(group -> new TaskPoller(
                        group, parts.settings(), new PayloadBudget(payloads, groups.size(), active), this))
                .toList();
    }

    /** Whether notifications tell when a task of these queues may be due. */
    boolean hearsOfTasks() {
        return hearsNotifications.getAsBoolean();
    }

    /** K2: whether the next claim must tell the other instances that there are leases to watch. Without a witness there are none. */
    boolean mustAnnounce() {
        return hasWitness() && activity.mustAnnounce();
    }

    /**
     * A claim has returned tasks.
     *
     * @param announced whether it has told the other instances
     */
    void claimed(boolean announced, long sentNanos) {
        keeper.wake();
        watchdog.wake();
        activity.busy();
        if (announced) {
            activity.announced(sentNanos);
        }
    }

    Later later() {
        return parts.store().later();
    }

    LeaseRepository leases() {
        return parts.store().leases();
    }

    Drain drain() {
        return parts.store().registry().drain();
    }

    /** The default time limit, for tasks without one of their own and whose handler declares none. */
    int maxAttempts() {
        return maxAttempts;
    }

    TaskRunner runner() {
        return parts.runner();
    }

    WorkerEvents events() {
        return parts.events();
    }

    LongSupplier nanoTime() {
        return parts.runtime().nanoTime();
    }

    Jitter jitter() {
        return parts.runtime().jitter();
    }

    ControlHealth health() {
        return health;
    }

    IsolationGate gate() {
        return gate;
    }

    boolean hasWitness() {
        return witness.isAnnounced();
    }

    /** What the listening session must do besides. */
    SessionDuty sessionDuty() {
        WitnessParts with = parts.store().witness();
        return with.settings().enabled()
                ? new WitnessSession(leases().worker(), witness, with.store(), () -> !active.isEmpty(), nanoTime())
                : SessionDuty.none();
    }

    ActiveLeases active() {
        return active;
    }

    KnownHandlers handlers() {
        return handlers;
    }

    UnknownTypes unknownTypes() {
        return unknownTypes;
    }

    LostClaims lostClaims() {
        return lostClaims;
    }

    Completer completer() {
        return completer;
    }

    LeaseKeeper keeper() {
        return keeper;
    }

    LeaseWatchdog watchdog() {
        return watchdog;
    }

    CancelNotices cancels() {
        return cancels;
    }
}
