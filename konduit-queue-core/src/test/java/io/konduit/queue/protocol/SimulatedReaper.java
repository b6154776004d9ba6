package io.konduit.queue.protocol;

import java.util.List;

/** The reaper of one process. Every process runs one at the same time: leadership saves work and is not needed for safety. */
final class SimulatedReaper {
    private final SimulatedWorld world;
    private final SimulatedProcess process;
    private final SimulatedOutageGuard guard;

    SimulatedReaper(SimulatedWorld world, SimulatedProcess process) {
        this.world = world;
        this.process = process;
        this.guard = new SimulatedOutageGuard(world.sabotage());
    }

    void start() {
        if (world.sabotage() != Sabotage.NO_REAPER) {
            process.after(world.random(50 * Timing.MILLISECOND), this::pass);
        }
    }

    /**
     * Step one reads the clock. Step two reclaims what had expired at that reading: a clock that jumps between the two, or a statement
     * that arrives late, changes nothing. A node that dies after either leaves nothing half done.
     */
    private void pass() {
        long sent = process.nanoTime();
        world.database().call(process, -1, this::read, reading -> decide(reading, sent), this::failed);
    }

    private ClockReading read() {
        SimulatedDatabase database = world.database();
        List<Integer> orphans =
                world.sabotage() == Sabotage.NONE ? List.of() : world.recovery().orphans();
        world.faults().clockRead(world);
        return new ClockReading(database.clock(), database.startedAt(), orphans);
    }

    private void decide(ClockReading reading, long sent) {
        if (guard.mayReclaim(reading, sent, process.nanoTime())) {
            world.database().call(process, -1, () -> reclaim(reading), count -> next(), this::failed);
        } else {
            world.tally().add(Tally.Count.PASSES_HELD_BACK);
            next();
        }
    }

    private int reclaim(ClockReading reading) {
        int reclaimed = world.recovery().reclaim(reading.clock(), reading.orphans());
        if (world.faults().clockOnlyMovesOn()) {
            world.recovery().abandon(reading.clock());
        }
        return reclaimed;
    }

    private void failed() {
        guard.failed();
        next();
    }

    private void next() {
        long interval = Timing.REAPER_INTERVAL * (9 + world.random(3)) / 10;
        long remaining = guard.remaining(process.nanoTime());
        process.after(remaining > 0 ? Math.min(interval, remaining) : interval, this::pass);
    }
}
