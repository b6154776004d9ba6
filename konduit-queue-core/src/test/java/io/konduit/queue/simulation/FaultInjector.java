package io.konduit.queue.simulation;

import io.konduit.queue.simulation.SimulatedConnections.End;
import io.konduit.queue.worker.SimulatedNode;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides which faults happen, and when, from the random numbers of the seed. */
final class FaultInjector {
    private static final long MILLISECOND = 1_000_000L;
    private static final long SECOND = 1_000 * MILLISECOND;

    private static final Set<String> DECISIVE = Set.of(
            "commit",
            "complete",
            "fail",
            "give-back",
            "snooze",
            "checkpoint",
            "guard",
            "reclaim",
            "witness-take",
            "witness-renounce",
            "witness-end-leases");

    private static final Set<String> WITNESS = Set.of("witness-take", "witness-renounce");

    private final Simulation world;
    private final Random random;
    private final int nodes;
    private final int intensity;
    private final int statementFaults;
    private long nextFault;
    private long nextJump;
    private final boolean mayFailOver;
    /** Instances crash all the time, for so long that tasks are quarantined, released, and lose their workers again. */
    private final boolean crashing;

    private boolean failedOver;

    FaultInjector(Simulation world, Random random) {
        this.world = world;
        this.random = random;
        this.nodes = 1 + random.nextInt(4);
        // some seeds have few faults or none
        this.crashing = random.nextInt(12) == 0;
        this.intensity = crashing ? 3 : random.nextInt(4);
        this.statementFaults = random.nextInt(3) * 15;
        this.mayFailOver = random.nextInt(3) == 0;
        this.nextFault = world.now() + random.nextInt(5_000) * MILLISECOND;
        this.nextJump = world.now() + random.nextInt(20_000) * MILLISECOND;
    }

    int nodes() {
        return nodes;
    }

    /** For how long faults go on. */
    long duration() {
        return (crashing ? 150 : 20 + random.nextInt(20)) * SECOND;
    }

    /** How long a statement is on its way. */
    long latency() {
        return random.nextInt(40) == 0 ? random.nextInt(400) * MILLISECOND : random.nextInt(3) * MILLISECOND;
    }

    /** How late a late statement is. */
    long delay() {
        return random.nextInt(45_000) * MILLISECOND;
    }

    /** What happens to the next statement of a fiber. */
    @Nullable
    Fault fault(Fiber fiber) {
        if (statementFaults == 0
                || fiber.process().node() == null
                || fiber.next.equals("sleep")
                || random.nextInt(1_000) >= statementFaults * weight(fiber.next)) {
            return null;
        }
        Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
        world.tally().count(fault.name());
        if (!fiber.next.equals("claim")) {
            fiber.process().troubledUntil(world.now());
        }
        if (fault == Fault.LATE && DECISIVE.contains(fiber.next) && random.nextBoolean()) {
            // its client cannot ask again before the lease has ended
            cut(fiber.process(), 12_000 + random.nextInt(10_000));
        }
        return fault;
    }

    /** What is rare fails more often. */
    private static int weight(String statement) {
        if (WITNESS.contains(statement)) {
            return 8;
        }
        return DECISIVE.contains(statement) ? 3 : 1;
    }

    /** Now and then something happens. */
    void mayInject() {
        if (intensity == 0 || world.now() < nextFault) {
            return;
        }
        nextFault = world.now() + (500 + random.nextInt(crashing ? 6_000 : 24_000 / intensity)) * MILLISECOND;
        List<SimulatedProcess> living = world.living();
        if (living.isEmpty()) {
            return;
        }
        if (mayFailOver && !failedOver && random.nextBoolean()) {
            failOver();
            return;
        }
        SimulatedProcess process = living.get(random.nextInt(living.size()));
        switch (crashing ? 0 : random.nextInt(10)) {
            case 0, 1 -> crash(process);
            case 2, 3 -> freeze(process, random.nextInt(35_000));
            case 4 -> cut(process, random.nextInt(25_000));
            case 5 -> jump();
            case 6 -> stop(process);
            case 7, 8 -> endListening(process);
            default -> restartServer();
        }
    }

    private void crash(SimulatedProcess process) {
        crash(process, random.nextBoolean() ? 0 : random.nextInt(15_000));
    }

    private void crash(SimulatedProcess process, int noticedMillis) {
        world.tally().count("crash");
        int host = world.hostOf(process);
        world.crash(process, world.now() + noticedMillis * MILLISECOND);
        startLater(host);
    }

    /** A worker whose leases have just been extended is lost: its witness tells that long before they expire. */
    void mayLose(SimulatedProcess process) {
        if (intensity == 0 || process.node() == null || random.nextInt(20) >= intensity) {
            return;
        }
        boolean dies = random.nextBoolean();
        world.at(world.now() + random.nextInt(500) * MILLISECOND, process + " has fresh leases", () -> {
            if (!process.isAlive() || world.isSettling()) {
                return;
            }
            if (dies) {
                crash(process, 0);
            } else {
                partition(process);
            }
        });
    }

    /** The others go on, and the server has ended what the process believes to have. */
    private void partition(SimulatedProcess process) {
        world.tally().count("partition");
        cut(process, 2_000 + random.nextInt(12_000));
        world.endListening(process, End.SILENT);
    }

    /** The worst that can happen to who is about to end leases: their workers come back before, and are lost once more. */
    private void restoreAndLose(SimulatedProcess ending) {
        List<SimulatedProcess> others =
                world.living().stream().filter(other -> other != ending).toList();
        others.forEach(other -> other.cutUntil(world.now()));
        for (SimulatedProcess other : others) {
            long lost = Math.max(world.now(), ending.thawsAt() - random.nextInt(3_000) * MILLISECOND);
            world.at(lost, other + " is lost once more", () -> {
                if (other.isAlive() && !world.isSettling()) {
                    partition(other);
                }
            });
        }
    }

    private void startLater(int host) {
        world.at(world.now() + random.nextInt(10_000) * MILLISECOND, "a new start", () -> {
            SimulatedProcess there = world.onHost(host);
            if (!there.isAlive()) {
                world.start(host);
            } else if (there.isStopping()) {
                startLater(host);
            }
        });
    }

    /** The worst time to be frozen is between a decision and its statement: long enough for the lease to end. */
    void mayFreezeBefore(String statement, SimulatedProcess process) {
        if (intensity > 0
                && process.node() != null
                && !process.isFrozen()
                && random.nextInt(DECISIVE.contains(statement) ? 40 : 1_000) < intensity) {
            freeze(process, 12_000 + random.nextInt(20_000));
            if (statement.equals("witness-end-leases")) {
                restoreAndLose(process);
            }
        }
    }

    private void freeze(SimulatedProcess process, int millis) {
        world.tally().count("freeze");
        long until = world.now() + millis * MILLISECOND;
        world.trace(() -> process + " is frozen for " + (until - world.now()) / MILLISECOND + " ms");
        process.freezeUntil(until);
    }

    private void cut(SimulatedProcess process, int millis) {
        world.tally().count("cut");
        long until = world.now() + millis * MILLISECOND;
        world.trace(() -> process + " is cut off for " + (until - world.now()) / MILLISECOND + " ms");
        process.cutUntil(until);
        if (random.nextBoolean()) {
            world.at(
                    world.now() + random.nextInt(millis + 1) * MILLISECOND,
                    "the server notices the cut",
                    () -> world.endListening(process, End.SILENT));
        }
    }

    private void jump() {
        if (world.now() < nextJump) {
            return;
        }
        nextJump = world.now() + 60 * SECOND;
        world.tally().count("jump");
        boolean back = random.nextInt(3) == 0;
        int millis = random.nextInt(back || random.nextBoolean() ? 60_000 : 3_600_000);
        world.jump(Duration.ofMillis(back ? -millis : millis));
    }

    private void stop(SimulatedProcess process) {
        if (process.isStopping()) {
            return;
        }
        world.tally().count("stop");
        world.trace(() -> process + " stops");
        Objects.requireNonNull(process.node()).beginStop();
        process.stopsBy(world.now() + SimulatedNode.DRAIN.toNanos());
        startLater(world.hostOf(process));
    }

    /** Once in a world, and not in all: afterwards little is certain. */
    private void failOver() {
        failedOver = true;
        world.tally().count("failover");
        world.copyDatabase();
        world.at(world.now() + random.nextInt(8_000) * MILLISECOND, "a failover", () -> {
            world.failOver();
            world.living().forEach(process -> process.troubledUntil(world.now()));
        });
    }

    private void endListening(SimulatedProcess process) {
        world.tally().count("session");
        End how = End.values()[random.nextInt(End.values().length)];
        world.endListening(process, how);
        if (how == End.SILENT) {
            process.troubledUntil(world.now());
        }
    }

    private void restartServer() {
        if (random.nextInt(3) == 0) {
            world.tally().count("recovery");
            world.recoverServer();
        } else {
            world.tally().count("restart");
            world.restartServer();
        }
        world.living().forEach(process -> process.troubledUntil(world.now()));
    }
}
