package io.konduit.queue.worker;

import io.konduit.queue.DurationText;
import io.konduit.queue.InvalidJobHandlerException;
import io.konduit.queue.RetryPolicy;
import io.konduit.queue.enqueue.TaskWakeUp;
import io.konduit.queue.error.ErrorTexts;
import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.observation.TaskObservations;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.ControlReceiver;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.NotificationChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Starts and stops this node's work.
 *
 * <p>Stopping: no more claims; what is claimed and not started is given back; handlers may finish within the drain
 * time while their leases are extended; the rest is given back, its attempt not charged; the worker leaves the
 * registry. If the node dies in between, leases end and the reaper takes the tasks back.
 */
public final class WorkerLifecycle implements SmartLifecycle, TaskWakeUp, ControlReceiver {
    /** Begins to stop just before the web server's graceful shutdown; {@link WorkerStop} waits for the end. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 512;

    private static final Logger log = LoggerFactory.getLogger(WorkerLifecycle.class);
    private static final Duration LAST_WRITES = Duration.ofSeconds(4);
    /** For leaving the registry. */
    private static final Duration LEAVING = Duration.ofSeconds(1);
    /** Before a new start. */
    private static final Duration LONGEST_STOP = Duration.ofSeconds(60);

    private static final Duration LEAST_STUCK = Duration.ofMinutes(1);
    private static final Duration LOCKED_PAUSE = Duration.ofMillis(20);

    private final WorkerSettings settings;
    private final WorkerIdentity identity;
    private final Parts parts;
    private final HangingRuns hanging = new HangingRuns();
    private volatile @Nullable Running running;

    /** What a worker is made of. */
    public record Parts(
            LeaseRepository leases,
            IncidentRepository incidents,
            WorkerRegistry registry,
            NotificationChannel channel,
            JobHandlerRegistry handlers,
            PayloadConverter converter,
            RetryPolicy retryPolicy,
            LeaseFence fence,
            @Nullable PlatformTransactionManager transactionManager,
            QueueEvents events,
            QueueMonitor monitor,
            TaskObservations observations,
            ErrorTexts errors,
            ThreadFactory handlerThreads) {}

    public WorkerLifecycle(WorkerSettings settings, WorkerIdentity identity, Parts parts) {
        this.settings = settings;
        this.identity = identity;
        this.parts = parts;
    }

    public WorkerIdentity identity() {
        return identity;
    }

    /** Whether this worker was told to claim nothing more. */
    public Drain drain() {
        return parts.registry().drain();
    }

    @Override
    public void start() {
        Running current = running;
        if (current != null && current.stopping) {
            current.awaitStopped(LONGEST_STOP);
        }
        startNow();
    }

    private synchronized void startNow() {
        if (running == null) {
            requireTransactionManager();
            running = new Running();
            log.info(
                    "Worker {} ({}) handles {} in queues {} with {} slots",
                    identity.name(),
                    identity.id(),
                    parts.handlers().types(),
                    running.settings.queues(),
                    running.slots());
        }
    }

    /** Stops and waits for the end. */
    @Override
    public void stop() {
        beginStop();
        awaitStopped();
    }

    /** Only begins: while handlers end, the web server ends its requests. {@link WorkerStop} waits for both. */
    @Override
    public void stop(Runnable callback) {
        beginStop();
        callback.run();
    }

    /** Takes in no more work from now on, and ends the rest on a thread of its own. */
    synchronized void beginStop() {
        Running current = running;
        if (current != null && !current.stopping) {
            current.beginStop(this::stopped);
        }
    }

    /** Waits for a stop that has begun, and no longer than its time: a database that is away does not keep it. */
    void awaitStopped() {
        Running current = running;
        if (current != null && current.stopping && !current.awaitStopped(LEAVING)) {
            log.warn(
                    "Worker {} ({}) does not wait any longer: the database gave no answer. What is not written comes back when its leases end.",
                    identity.name(),
                    identity.id());
        }
    }

    private void stopped() {
        running = null;
        log.info("Worker {} ({}) has stopped", identity.name(), identity.id());
    }

    /** Runs that were told to end and have not. */
    public List<HangingRun> hangingRuns() {
        Running current = running;
        return current == null ? List.of() : hanging.all(System.nanoTime());
    }

    @Override
    public boolean isRunning() {
        return running != null;
    }

    /** How its loops are; none when it is not running, or about to end them. */
    public List<LoopState> loops() {
        Running current = running;
        return current == null || current.stopping ? List.of() : current.loops();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public void tasksDue(Set<String> queues) {
        Running current = running;
        if (current != null) {
            current.tasksDue(queues);
        }
    }

    @Override
    public void receive(ControlMessage message) {
        Running current = running;
        if (current != null) {
            current.receive(message);
        }
    }

    private void requireTransactionManager() {
        if (parts.transactionManager() == null) {
            for (JobHandlerMethod handler : parts.handlers().all()) {
                if (handler.transactional()) {
                    throw new InvalidJobHandlerException(
                            "Handler '%s' (%s) is transactional, but there is no single transaction manager for the queue's data source. Define one, or mark one as @Primary."
                                    .formatted(handler.type(), handler.location()));
                }
            }
        }
    }

    /** One start of the worker: its threads and what they share. */
    private final class Running implements NotificationListener.Ear {
        private final WorkerSettings settings =
                WorkerLifecycle.this.settings.serving(parts.handlers().all());
        private final ActiveLeases active = new ActiveLeases(hanging);
        private final CancelNotices cancels;
        private final Completer completer;
        private final LeaseKeeper keeper;
        private final LeaseWatchdog watchdog;
        private final NotificationListener listener;
        private final List<TaskPoller> pollers = new ArrayList<>();
        private final List<Thread> claimThreads = new ArrayList<>();
        private final List<Thread> slotThreads = new ArrayList<>();
        private final List<Thread> controlThreads = new ArrayList<>();
        private final Thread completerThread;
        private volatile boolean stopping;
        private volatile @Nullable Thread stopThread;
        private volatile @Nullable StopBudget stopBudget;

        Running() {
            ControlHealth health = new ControlHealth();
            WorkerEvents events = new WorkerEvents(parts.monitor(), parts.events());
            completer = new Completer(parts.leases(), parts.incidents(), active, events);
            BooleanSupplier beat = () -> parts.registry().beat(settings.queues(), slots());
            keeper = new LeaseKeeper(
                    parts.leases(),
                    active,
                    health,
                    events,
                    new LeaseKeeper.Beat(beat, settings.heartbeatInterval(), this::isListening),
                    System::nanoTime);
            cancels = new CancelNotices(active, keeper::wake);
            watchdog = new LeaseWatchdog(active, events, settings.warnAfter(), System::nanoTime);
            listener = new NotificationListener(parts.channel(), this);
            TaskRunner runner = new TaskRunner(
                    parts.leases(),
                    parts.fence(),
                    parts.converter(),
                    parts.retryPolicy(),
                    parts.observations(),
                    parts.errors(),
                    parts.transactionManager());
            parts.fence().handOverWhen(parts.registry().drain()::isOn);
            KnownHandlers handlers = new KnownHandlers(parts.handlers());
            TaskPoller.Node node = new TaskPoller.Node(
                    parts.leases(),
                    active,
                    health,
                    handlers,
                    new UnknownTypes(parts.leases(), handlers, System::nanoTime),
                    new LostClaims(parts.leases(), active, settings.heartbeatInterval(), System::nanoTime),
                    runner,
                    completer,
                    keeper,
                    new IsolationGate(),
                    parts.registry().drain(),
                    cancels,
                    events);
            List<Lane> lanes = Lane.of(settings);
            long payloads = PayloadBudget.ofHeap(Runtime.getRuntime().maxMemory());
            for (Lane lane : lanes) {
                pollers.add(new TaskPoller(
                        lane,
                        settings,
                        parts.retryPolicy().maxAttempts(),
                        new PayloadBudget(payloads, lanes.size(), active),
                        node));
            }
            register(beat, health);
            controlThreads.add(WorkerThreads.start("konduit-lease-keeper", keeper::run));
            controlThreads.add(WorkerThreads.start("konduit-lease-watchdog", watchdog::run));
            completerThread = WorkerThreads.start("konduit-completer", completer::run);
            pollers.forEach(this::startLane);
            if (settings.listen() && !parts.channel().canListen()) {
                log.info(
                        "Behind this pooler nobody can LISTEN: tasks of other instances are found by polling, within {}",
                        DurationText.of(settings.pollInterval()));
            } else if (settings.listen()) {
                controlThreads.add(WorkerThreads.start("konduit-listen", listener::run));
            }
        }

        /** A database that does not answer yet is no reason not to start: the keeper goes on trying. */
        private static void register(BooleanSupplier beat, ControlHealth health) {
            try {
                beat.getAsBoolean();
            } catch (DataAccessException e) {
                health.failed(e);
            }
        }

        private void startLane(TaskPoller poller) {
            for (int i = 1; i <= poller.lane().slots(); i++) {
                Thread slot = parts.handlerThreads().newThread(WorkerThreads.unending(poller::slotLoop));
                slot.setName("konduit-" + poller.lane().name() + "-" + i);
                slot.start();
                slotThreads.add(slot);
            }
            claimThreads.add(WorkerThreads.start("konduit-poll-" + poller.lane().name(), poller::claimLoop));
        }

        List<LoopState> loops() {
            return Stream.of(claimThreads, controlThreads, List.of(completerThread), slotThreads)
                    .flatMap(List::stream)
                    .map(this::state)
                    .toList();
        }

        private LoopState state(Thread thread) {
            Duration sinceStep = WorkerThreads.sinceStep(thread);
            return new LoopState(
                    thread.getName(),
                    thread.isAlive(),
                    sinceStep,
                    sinceStep != null && sinceStep.compareTo(longestStep()) > 0);
        }

        /** A step waits for the poll interval, or for statements that the database does not answer. */
        private Duration longestStep() {
            Duration statements = settings.heartbeatInterval().multipliedBy(6);
            Duration polls = settings.pollInterval().multipliedBy(2);
            return Stream.of(LEAST_STUCK, statements, polls)
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
        }

        int slots() {
            return pollers.stream().mapToInt(poller -> poller.lane().slots()).sum();
        }

        private boolean isListening() {
            return listener.isListening();
        }

        @Override
        public void receive(ControlMessage message) {
            switch (message.kind()) {
                case CANCELLED -> message.taskId().ifPresent(cancels::received);
            }
        }

        @Override
        public void missed() {
            pollers.forEach(TaskPoller::tasksDue);
            cancels.missed();
        }

        @Override
        public void tasksDue(Set<String> queues) {
            for (TaskPoller poller : pollers) {
                if (poller.lane().queues().stream().anyMatch(queues::contains)) {
                    poller.tasksDue();
                }
            }
        }

        void beginStop(Runnable whenStopped) {
            StopBudget budget = new StopBudget(settings.drainTimeout(), settings.heartbeatInterval(), LAST_WRITES);
            stopBudget = budget;
            stopping = true;
            pollers.forEach(TaskPoller::stop);
            Thread thread = new Thread(
                    () -> {
                        try {
                            stop(budget);
                        } finally {
                            whenStopped.run();
                        }
                    },
                    "konduit-stop");
            thread.setDaemon(true);
            stopThread = thread;
            thread.start();
        }

        /** For what is left of its time, and that much longer. */
        boolean awaitStopped(Duration longer) {
            Thread thread = stopThread;
            StopBudget budget = stopBudget;
            return thread == null
                    || budget == null
                    || WorkerThreads.join(List.of(thread), budget.left().plus(longer));
        }

        /** Everything together takes the drain time and a few seconds at most. */
        private void stop(StopBudget budget) {
            boolean drained = WorkerThreads.join(slotThreads, budget.leftToDrain());
            listener.stop();
            if (!drained) {
                giveBackTheRest(budget);
            }
            // a claim that is under way is cancelled, and looked for, within a heartbeat
            WorkerThreads.join(claimThreads, budget.left());
            completer.stop();
            if (!WorkerThreads.join(List.of(completerThread), budget.left())) {
                completerThread.interrupt();
            }
            keeper.stop();
            watchdog.stop();
            WorkerThreads.join(controlThreads, budget.left());
            parts.registry().deregister();
        }

        /**
         * What did not finish in time, or did not get its turn, is given back; whatever its handlers still do, their
         * leases are over. Begun tasks that must not run twice are not given back: their leases end, and the reaper
         * holds them for a person. Handlers are interrupted first: one that holds its own row in a transaction must let
         * it go before the row can be given back.
         */
        private void giveBackTheRest(StopBudget budget) {
            // those that have not started wait for their turn behind one that has to run alone
            List<Execution> rest = active.all().stream()
                    .filter(execution -> execution.isRunning() || !execution.isStarted())
                    .toList();
            for (Execution execution : rest) {
                execution.end(execution.task().reapable() ? Execution.End.GIVEN_BACK : Execution.End.LEFT_TO_REAPER);
            }
            // from here on none of them can start
            List<Execution> returned = rest.stream()
                    .filter(execution -> execution.task().reapable() || !execution.isStarted())
                    .toList();
            log.warn(
                    "{} did not finish within 'konduit.queue.worker.drain-timeout' ({}): {} given back, {} held for a person when their leases have ended, because they must not run twice",
                    rest.stream().map(Execution::task).toList(),
                    DurationText.of(settings.drainTimeout()),
                    returned.size(),
                    rest.size() - returned.size());
            rest.forEach(hanging::add);
            rest.forEach(active::remove);
            giveBack(returned.stream().map(Execution::lease).collect(Collectors.toSet()), budget);
        }

        /** A row that somebody has locked, such as its own handler that rolls back, is tried again for a while. */
        private void giveBack(Set<Lease> returned, StopBudget budget) {
            Set<Lease> left = returned;
            try {
                while (!left.isEmpty()) {
                    left = parts.leases().giveBackUnlocked(left, Duration.ZERO).busy();
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
                        "Tasks {} could not be given back and come back when their leases end",
                        left.stream().map(Lease::taskId).sorted().toList());
            }
        }
    }
}
