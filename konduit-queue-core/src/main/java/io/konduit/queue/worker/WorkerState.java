package io.konduit.queue.worker;

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

    /**
     * @param parts for the queues that the worker serves
     * @param hanging runs of earlier starts of this worker
     * @param hearsOfCancels whether notifications come in
     */
    WorkerState(WorkerParts parts, HangingRuns hanging, BooleanSupplier hearsOfCancels) {
        WorkerSettings settings = parts.settings();
        LeaseRepository leases = parts.store().leases();
        LongSupplier nanoTime = parts.runtime().nanoTime();
        this.parts = parts;
        this.groups = SlotGroup.of(settings);
        this.maxAttempts = parts.runner().maxAttempts();
        this.gate = new IsolationGate(nanoTime);
        this.witness = new Witness(parts.store().witness().settings().grace());
        this.active = new ActiveLeases(hanging, witness);
        this.handlers = new KnownHandlers(parts.runner().handlers());
        this.unknownTypes = new UnknownTypes(leases, handlers, nanoTime);
        this.lostClaims = new LostClaims(leases, active, settings.heartbeatInterval(), nanoTime);
        this.completer = new Completer(leases, parts.store().incidents(), active, parts.events(), nanoTime);
        this.keeper = new LeaseKeeper(
                leases,
                active,
                health,
                parts.events(),
                new LeaseKeeper.Beat(this::beat, settings.heartbeatInterval(), hearsOfCancels),
                nanoTime);
        this.watchdog = new LeaseWatchdog(active, parts.events(), settings.warnAfter(), nanoTime);
        this.cancels = new CancelNotices(active, keeper::wake);
    }

    /** Registers this worker or sends its heartbeat. True when all leases should be extended at once. */
    boolean beat() {
        return parts.store().registry().beat(parts.settings().queues(), slots());
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
