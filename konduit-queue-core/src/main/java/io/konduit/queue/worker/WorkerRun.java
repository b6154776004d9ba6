package io.konduit.queue.worker;

import io.konduit.queue.settings.DurationText;
import io.konduit.queue.settings.WorkerSettings;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** One start of a worker: its loops and the threads that run them. */
final class WorkerRun implements NotificationListener.Callbacks {
    private static final Logger log = LoggerFactory.getLogger(WorkerRun.class);
    private static final Duration LAST_WRITES = Duration.ofSeconds(4);
    private static final Duration LEAST_STUCK = Duration.ofMinutes(1);

    private final WorkerParts parts;
    private final WorkerSettings settings;
    private final NotificationListener listener;
    private final WorkerState state;
    private final List<TaskPoller> pollers;
    private final List<Thread> claimThreads = new ArrayList<>();
    private final List<Thread> slotThreads = new ArrayList<>();
    private final List<Thread> controlThreads = new ArrayList<>();
    private final List<Thread> completerThreads = new ArrayList<>();
    private volatile boolean stopping;
    private volatile @Nullable Thread stopThread;
    private volatile @Nullable StopBudget stopBudget;

    /**
     * @param parts for the queues that the worker serves
     * @param hanging runs of earlier starts of this worker
     */
    WorkerRun(WorkerParts parts, HangingRuns hanging) {
        this.parts = parts;
        this.settings = parts.settings();
        this.state = new WorkerState(parts, hanging, this::isListening);
        this.listener = new NotificationListener(
                parts.store().channel(),
                this,
                state.sessionDuty(),
                parts.runtime().nanoTime());
        this.pollers = state.newPollers();
        state.whenTimeJumps(this::lookAgain);
        parts.runtime().activity().hearsWhile(() -> settings.listen() && isListening());
    }

    private boolean isListening() {
        return listener.isListening();
    }

    /** Whether the listening session is there and the database knows that it is this worker's witness. */
    boolean hasWitness() {
        return isListening() && state.hasWitness();
    }

    /** What its loops share. */
    WorkerState state() {
        return state;
    }

    /** Keeps the listening session, in which this worker's witness is. */
    NotificationListener listener() {
        return listener;
    }

    /** One for each slot group. */
    List<TaskPoller> pollers() {
        return pollers;
    }

    WorkerSettings settings() {
        return settings;
    }

    /** Registers the worker and starts its threads. */
    void start() {
        register();
        controlThreads.add(QueueThreads.start("konduit-lease-keeper", state.keeper()::run));
        controlThreads.add(QueueThreads.start("konduit-lease-watchdog", state.watchdog()::run));
        completerThreads.add(QueueThreads.start("konduit-completer", state.completer()::run));
        pollers.forEach(this::startSlots);
        if (settings.listen() && !parts.store().channel().canListen()) {
            log.info(
                    "LISTEN does not work behind this pooler: polling finds tasks of other instances within {}",
                    DurationText.of(settings.pollInterval()));
        } else if (settings.listen()) {
            controlThreads.add(QueueThreads.start("konduit-listen", listener::run));
        }
    }

    /** A database that does not answer yet must not prevent the start: the keeper keeps trying. */
    private void register() {
        try {
            state.beat();
        } catch (DataAccessException e) {
            state.health().failed(e);
        }
    }

    private void startSlots(TaskPoller poller) {
        for (int i = 1; i <= poller.group().slots(); i++) {
            Thread slot = parts.runtime().handlerThreads().newThread(QueueThreads.unending(poller.slots()::loop));
            slot.setName("konduit-" + poller.group().name() + "-" + i);
            slot.start();
            slotThreads.add(slot);
        }
        claimThreads.add(QueueThreads.start("konduit-poll-" + poller.group().name(), poller::claimLoop));
    }

    List<LoopState> loops() {
        return Stream.of(claimThreads, controlThreads, completerThreads, slotThreads)
                .flatMap(List::stream)
                .map(this::loop)
                .toList();
    }

    private LoopState loop(Thread thread) {
        Duration sinceStep = QueueThreads.sinceStep(thread);
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

    @Override
    public void receive(ControlMessage message) {
        switch (message.kind()) {
            case CANCELLED -> message.taskId().ifPresent(state.cancels()::received);
            case LATER -> message.later().ifPresent(task -> tasksDueIn(task.queue(), task.delay()));
            case BUSY -> parts.runtime().activity().busy();
            case SCHEDULES -> parts.store().registry().schedules().changed();
        }
    }

    @Override
    public void missed() {
        parts.runtime().activity().busy();
        lookAgain();
        state.cancels().missed();
        parts.store().registry().schedules().missed();
    }

    @Override
    public void deaf() {
        lookAgain();
    }

    private void lookAgain() {
        pollers.forEach(TaskPoller::lookAgain);
    }

    void tasksDueIn(String queue, Duration delay) {
        for (TaskPoller poller : pollers) {
            if (poller.group().queues().contains(queue)) {
                poller.tasksDueIn(delay);
            }
        }
    }

    @Override
    public void tasksDue(Set<String> queues) {
        for (TaskPoller poller : pollers) {
            if (poller.group().queues().stream().anyMatch(queues::contains)) {
                poller.tasksDue();
            }
        }
    }

    boolean isStopping() {
        return stopping;
    }

    /** Stops accepting work, and ends the rest on another thread. */
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

    /** Waits for the rest of its time budget, and this much longer. */
    boolean awaitStopped(Duration longer) {
        Thread thread = stopThread;
        StopBudget budget = stopBudget;
        return thread == null
                || budget == null
                || QueueThreads.join(List.of(thread), budget.left().plus(longer));
    }

    /** The whole stop takes at most the drain timeout plus a few seconds. */
    private void stop(StopBudget budget) {
        boolean drained = QueueThreads.join(slotThreads, budget.leftToDrain());
        if (!drained) {
            new UnfinishedRuns(state, settings.drainTimeout()).giveBack(budget);
        }
        // a claim in flight is cancelled, and looked for, within a heartbeat
        QueueThreads.join(claimThreads, budget.left());
        state.completer().stop();
        if (!QueueThreads.join(completerThreads, budget.left())) {
            completerThreads.forEach(Thread::interrupt);
        }
        state.keeper().stop();
        state.watchdog().stop();
        // not before: its session is this worker's witness
        listener.stop();
        QueueThreads.join(controlThreads, budget.left());
        parts.store().registry().deregister();
    }
}
