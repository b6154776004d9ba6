package io.konduit.queue.worker;

import io.konduit.queue.RetryPolicy;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.leader.Chore;
import io.konduit.queue.leader.SteppedScheduler;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.recovery.ReaperChore;
import io.konduit.queue.settings.ChoreSettings;
import io.konduit.queue.settings.InstanceSettings;
import io.konduit.queue.settings.LeaderSettings;
import io.konduit.queue.settings.QueueSettings;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.settings.WitnessSettings;
import io.konduit.queue.settings.WorkerSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * The real worker, reaper and leadership of one instance, without threads: whoever has it takes the steps of its loops.
 * All production objects of the simulation are made here.
 */
public final class SimulatedNode {
    public static final Duration LOCK_TIMEOUT = Duration.ofSeconds(10);
    public static final Duration HEARTBEAT = Duration.ofSeconds(3);
    public static final Duration POLL = Duration.ofSeconds(2);
    public static final Duration REAPER_INTERVAL = Duration.ofSeconds(5);
    public static final Duration CLEANING_INTERVAL = Duration.ofSeconds(10);
    /** The loop of the listening session. */
    public static final String LISTENER = "listener";

    public static final Duration DRAIN = Duration.ofSeconds(8);
    /** How long without a checkpoint counts as abandoned. */
    public static final Duration ABANDONED = Duration.ofSeconds(40);

    public static final ReclaimPolicy POLICY =
            new ReclaimPolicy(Duration.ofSeconds(2), 500, 3, 3, Duration.ofSeconds(2), Duration.ofSeconds(8));

    private static final LeaderSettings LEADER =
            new LeaderSettings(Duration.ofSeconds(15), Duration.ofSeconds(5), Duration.ofSeconds(5));
    private static final int SLOTS = 3;
    private static final String QUEUE = "default";
    /** Nobody runs alone: waiting for that takes the time of a thread. */
    private static final int NEVER_ALONE = 1_000;

    private static final WorkerSettings SETTINGS = new WorkerSettings(
            List.of(QUEUE),
            SLOTS,
            Map.of(),
            LOCK_TIMEOUT,
            POLL,
            HEARTBEAT,
            Duration.ZERO,
            Duration.ofHours(1),
            DRAIN,
            false,
            NEVER_ALONE);
    private static final RetryPolicy RETRIES =
            RetryPolicy.exponential(3, Duration.ofMillis(500), 2, Duration.ofSeconds(4), 0);

    private final List<Step> steps = new ArrayList<>();
    private final DataSourceTransactionManager transactions;
    private final QueueEngine engine;
    private final WorkerState state;
    private final TaskPoller poller;
    private final NotificationListener listener;
    private final SteppedScheduler scheduler;
    private boolean stopping;

    /** What differs from node to node. */
    public record Host(
            QueueDatabase database,
            UUID id,
            LongSupplier nanoTime,
            DoubleSupplier random,
            Duration grace,
            JobHandlerRegistry handlers,
            PayloadConverter converter,
            QueueEvents events) {}

    /**
     * A loop of the node.
     *
     * @param ready whether a step has something to do
     * @param take takes one step and says how long to wait before the next
     */
    public record Step(String name, BooleanSupplier ready, Supplier<Duration> take) {}

    public SimulatedNode(Host host) {
        transactions = new DataSourceTransactionManager(host.database().application());
        engine = QueueEngine.builder(host.database(), settings(host.grace()), host.handlers())
                .identity(new WorkerIdentity(host.id(), "simulated", "host", 1, "1", null))
                .nanoTime(host.nanoTime())
                .random(host.random())
                .events(host.events())
                .converter(host::converter)
                .retryPolicy(() -> RETRIES)
                .transactionManager(() -> transactions)
                .wakeUps(Stream::empty)
                .controlReceivers(Stream::empty)
                .build();
        transactions.addListener(engine.fence());
        WorkerRun run = engine.worker().assemble();
        state = run.state();
        poller = run.pollers().get(0);
        listener = run.listener();
        scheduler = new SteppedScheduler(engine.scheduler());
        takeSteps();
    }

    private static QueueSettings settings(Duration grace) {
        return new QueueSettings() {
            @Override
            public WitnessSettings witness() {
                return WitnessSettings.of(true, grace, LOCK_TIMEOUT);
            }

            @Override
            public WorkerSettings worker() {
                return SETTINGS;
            }

            @Override
            public InstanceSettings instance() {
                return new InstanceSettings(true, true, SETTINGS.queues(), HEARTBEAT);
            }

            @Override
            public ReclaimPolicy reclaim() {
                return POLICY;
            }

            @Override
            public ChoreSettings chores() {
                return new ChoreSettings(REAPER_INTERVAL, ABANDONED, CLEANING_INTERVAL, HEARTBEAT.multipliedBy(6));
            }

            @Override
            public LeaderSettings leader() {
                return LEADER;
            }
        };
    }

    private void takeSteps() {
        steps.add(always("keeper", () -> Duration.ofNanos(state.keeper().step())));
        steps.add(always("watchdog", () -> {
            state.watchdog().checkOnce();
            return Duration.ofMillis(state.active().isEmpty() ? 500 : 100);
        }));
        steps.add(new Step("completer", () -> !state.completer().isIdle(), this::write));
        steps.add(new Step("poller", () -> !stopping, this::claim));
        for (int i = 0; i < SLOTS; i++) {
            int slot = i;
            steps.add(new Step("slot" + slot, poller.slots()::hasWork, () -> run(slot)));
        }
        steps.add(always("leader", scheduler::renew));
        Chore reaper = chore(ReaperChore.NAME);
        Chore abandoned = chore("abandoned");
        Chore witness = chore("witness");
        boolean[] started = new boolean[1];
        steps.add(always("reaper", () -> {
            boolean first = !started[0];
            started[0] = true;
            return first ? scheduler.runNow(reaper) : scheduler.tick(reaper);
        }));
        steps.add(always("cleaner", () -> scheduler.tick(abandoned)));
        steps.add(always("witness", () -> scheduler.tick(witness)));
        steps.add(always(LISTENER, listener::step));
    }

    private Chore chore(String name) {
        return engine.chores().chores().stream()
                .filter(chore -> chore.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Step always(String name, Supplier<Duration> take) {
        return new Step(name, () -> true, take);
    }

    private Duration write() {
        try {
            Duration rest = state.completer().writeOnce(Duration.ZERO);
            return rest.isZero() ? Duration.ofMillis(20) : rest;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Duration claim() {
        return switch (poller.claimOnce()) {
            case AT_ONCE -> Duration.ZERO;
            case ROOM -> Duration.ofMillis(100);
            case PAUSE -> POLL;
            case DUE, DUE_AFTER_REST ->
                Duration.ofNanos(Math.min(POLL.toNanos(), state.lostClaims().nanosToLook()));
        };
    }

    private Duration run(int slot) {
        try {
            poller.slots().runOnce(slot);
            return Duration.ZERO;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The loops, in no order that matters. */
    public List<Step> steps() {
        return steps;
    }

    /** Transactions that the fence watches, as handlers have them. */
    public DataSourceTransactionManager transactions() {
        return transactions;
    }

    /** A database that does not answer yet is no reason not to start. */
    public void register() {
        try {
            state.beat();
        } catch (DataAccessException e) {
            // the keeper goes on trying
        }
    }

    /** Claims nothing more; what waits for a slot is given back. */
    public void beginStop() {
        stopping = true;
        poller.stop();
    }

    /** Whether nothing is left to end after the stop has begun. */
    public boolean isDrained() {
        return state.active().isEmpty() && state.completer().isIdle();
    }

    /** The last steps of a graceful stop. */
    public void endStop() {
        state.lostClaims().look();
        listener.stop();
        listener.close();
        engine.registry().deregister();
        scheduler.release();
    }

    /** What this node knows of a lease. */
    public enum Knowledge {
        /** It never had it, or has forgotten it. */
        NONE,
        /** It has the task, and nothing has told the run to end. */
        HELD,
        /** It has the task, and the run was told to end. */
        ENDING
    }

    public Knowledge knows(long taskId, long epoch) {
        RunningTask run = state.active().find(taskId);
        if (run == null || run.lease().epoch() != epoch) {
            return Knowledge.NONE;
        }
        return run.ended() == null ? Knowledge.HELD : Knowledge.ENDING;
    }

    /** Why a run was told to end; null when it was not. */
    public @Nullable String end(long taskId) {
        RunningTask run = state.active().find(taskId);
        return run == null || run.ended() == null ? null : run.ended().name();
    }
}
