package io.konduit.queue.protocol;

import io.konduit.queue.protocol.SimulatedRun.Outcome;

/** The user's code for one run: it takes its time, writes in fenced transactions, hangs, fails or brings the process down. */
final class SimulatedHandler {
    private final SimulatedWorld world;
    private final SimulatedRun run;
    private final SimulatedProcess process;
    private final Lease lease;

    SimulatedHandler(SimulatedWorld world, SimulatedRun run) {
        this.world = world;
        this.run = run;
        this.process = run.worker().process();
        this.lease = run.lease();
    }

    void start() {
        int kind = world.random(100);
        if (kind >= 95) {
            process.after(Timing.TIME_LIMIT, this::exceedTimeLimit);
        } else {
            long longest = kind < 50 ? 300 : kind < 80 ? 2_500 : 7_000;
            process.after(world.random(longest * Timing.MILLISECOND), this::end);
        }
        for (int i = world.random(3) + (run.stubborn() ? 2 : 0); i > 0; i--) {
            process.after(world.random(3 * Timing.SECOND), this::writeFenced);
        }
        if (world.random(3) == 0) {
            process.after(world.random(3 * Timing.SECOND), this::checkpoint);
        }
        if (run.task().deadly) {
            process.after(world.random(Timing.SECOND), () -> {
                if (run.executing()) {
                    world.crash(run.worker(), world.random(Timing.SECOND));
                }
            });
        }
    }

    /** A transaction of the handler: guard and commit on one connection. A run that was dropped does not get as far as the guard. */
    private void writeFenced() {
        boolean refusedLocally = run.dropped() && world.sabotage() != Sabotage.DROPPED_RUN_KEEPS_ITS_TRANSACTIONS;
        if (run.reporting() || refusedLocally || (run.interrupted() && !run.stubborn())) {
            return;
        }
        long transaction = world.database().openTransaction(process, world.table(), lease.task());
        run.worker()
                .send(
                        run,
                        true,
                        () -> world.database().open(transaction)
                                && world.table().guardEffect(lease, transaction),
                        held -> {
                            if (held) {
                                world.faults().at(Faults.Moment.BETWEEN_GUARD_AND_COMMIT, world, run.worker());
                                process.after(world.random(Timing.LONGEST_EFFECT), () -> commit(transaction));
                            } else {
                                world.tally().add(Tally.Count.REFUSED_EFFECTS);
                            }
                        },
                        () -> world.database().closeTransaction(transaction, world.table(), lease.task()));
    }

    private void commit(long transaction) {
        Runnable close = () -> world.database().closeTransaction(transaction, world.table(), lease.task());
        run.worker()
                .send(
                        run,
                        false,
                        () -> world.table().commitEffect(lease, transaction),
                        committed -> close.run(),
                        close);
    }

    private void checkpoint() {
        if (run.executing()) {
            run.worker().send(run, true, () -> world.table().checkpoint(lease), kept -> {}, () -> {});
            process.after(2 * Timing.SECOND, this::checkpoint);
        }
    }

    private void exceedTimeLimit() {
        if (run.executing()) {
            world.tally().add(Tally.Count.TIME_LIMITS);
            run.drop();
        }
    }

    private void end() {
        if (run.executing()) {
            int kind = world.random(100);
            run.worker()
                    .report(run, kind < 75 ? Outcome.COMPLETED : kind < 93 ? Outcome.FAILED : Outcome.FAILED_FOR_GOOD);
        }
    }
}
