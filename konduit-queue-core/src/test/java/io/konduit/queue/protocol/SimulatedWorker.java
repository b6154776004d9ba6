package io.konduit.queue.protocol;

import io.konduit.queue.protocol.Lease.Settlement;
import io.konduit.queue.protocol.SimulatedRun.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One start of an application instance: it claims, reports, and gives back what it cannot finish. */
final class SimulatedWorker {
    private static final int SLOTS = 2;
    private static final long POLL_INTERVAL = 150 * Timing.MILLISECOND;

    private final SimulatedWorld world;
    private final SimulatedProcess process;
    private final long id;
    private final boolean knowsRareTasks;
    private final SimulatedLeaseKeeper keeper;
    private final List<SimulatedRun> runs = new ArrayList<>();
    private boolean stopping;

    SimulatedWorker(SimulatedWorld world, SimulatedProcess process, long id, boolean knowsRareTasks) {
        this.world = world;
        this.process = process;
        this.id = id;
        this.knowsRareTasks = knowsRareTasks;
        this.keeper = new SimulatedLeaseKeeper(world, this);
    }

    void start() {
        keeper.start();
        process.after(world.random(POLL_INTERVAL), this::poll);
    }

    /** Stops claiming, lets handlers finish for a while and gives the rest back. */
    void stopGracefully() {
        stopping = true;
        process.after(Timing.DRAIN_TIMEOUT, () -> List.copyOf(runs).stream()
                .filter(run -> run.wanted() && !run.reporting())
                .forEach(SimulatedRun::stop));
    }

    private void poll() {
        runs.removeIf(run -> !run.mayStillWrite());
        long busy = runs.stream().filter(run -> !run.over()).count();
        if (stopping && runs.isEmpty()) {
            world.exit(this, world.random(Timing.SECOND));
        } else if (stopping || keeper.failing() || busy >= SLOTS) {
            process.after(POLL_INTERVAL, this::poll);
        } else {
            claim(SLOTS - (int) busy);
        }
    }

    private void claim(int limit) {
        long sentAt = process.nanoTime();
        Set<Integer> except = new HashSet<>();
        if (world.sabotage() != Sabotage.NO_DEDUPE && world.sabotage() != Sabotage.DEDUPE_ONLY_ON_REPLY) {
            runs.forEach(run -> except.add(run.lease().task()));
        }
        world.database()
                .call(
                        process,
                        -1,
                        () -> world.table().claim(id, limit, except, process.wallClock()),
                        leases -> {
                            leases.forEach(lease -> accept(lease, sentAt));
                            process.after(world.random(POLL_INTERVAL), this::poll);
                        },
                        () -> process.after(Timing.RETRY_DELAY, this::poll));
    }

    private void accept(Lease lease, long sentAt) {
        if (world.sabotage() != Sabotage.NO_DEDUPE) {
            runs.stream().filter(older -> older.lease().task() == lease.task()).forEach(SimulatedRun::drop);
        }
        SimulatedRun run = new SimulatedRun(this, world, lease, sentAt);
        runs.add(run);
        if (stopping || (world.row(lease.task()).rare && !knowsRareTasks)) {
            run.stop();
        } else {
            process.after(world.random(20 * Timing.MILLISECOND), run::start);
            world.faults().at(Faults.Moment.BETWEEN_CLAIM_AND_START, world, this);
        }
    }

    /** Reports an outcome until the database has answered; what was applied before is found there and not taken for lost. */
    void report(SimulatedRun run, Outcome outcome) {
        if (run.over()) {
            return;
        }
        run.report(outcome);
        send(
                run,
                true,
                () -> run.settle(world.table()),
                answer -> onReported(run, answer),
                () -> process.after(Timing.RETRY_DELAY, () -> report(run, outcome)));
    }

    private void onReported(SimulatedRun run, Settlement answer) {
        if (answer == Settlement.LOST) {
            world.tally().add(Tally.Count.REFUSED_REPORTS);
            lose(run);
        } else {
            world.tally().add(answer == Settlement.APPLIED ? Tally.Count.REPORTS : Tally.Count.ALREADY_APPLIED);
            run.settled();
        }
    }

    /** Sends a statement that belongs to a run; until it is answered, the run may still write. */
    <T> void send(SimulatedRun run, boolean waits, Supplier<T> statement, Consumer<T> reply, Runnable failure) {
        run.sent();
        world.database()
                .call(
                        process,
                        waits ? run.lease().task() : -1,
                        statement,
                        answer -> {
                            run.answered();
                            reply.accept(answer);
                        },
                        () -> {
                            run.answered();
                            failure.run();
                        });
    }

    void lose(SimulatedRun run) {
        if (!run.over()) {
            world.tally().add(Tally.Count.LOST_LEASES);
            world.trace(() -> process + " has lost " + run.lease());
            run.drop();
        }
    }

    boolean wants(long runNumber) {
        return runs.stream().anyMatch(run -> run.lease().run() == runNumber && run.wanted());
    }

    List<SimulatedRun> runs() {
        return runs;
    }

    SimulatedProcess process() {
        return process;
    }

    long id() {
        return id;
    }

    boolean knowsRareTasks() {
        return knowsRareTasks;
    }
}
