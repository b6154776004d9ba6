package io.konduit.queue.protocol;

import io.konduit.queue.protocol.FaultProfile.Kind;
import java.util.SplittableRandom;

/** What goes wrong in one seed, and until when. */
final class Faults {
    private static final long LONGEST_FAULT = 3 * Timing.LOCK_TIMEOUT;

    /** When a pause strikes: at its time, or at the next of the worst moments. */
    enum Moment {
        NOW,
        BETWEEN_CLAIM_AND_START,
        BETWEEN_GUARD_AND_COMMIT
    }

    private final SplittableRandom random;
    private final FaultProfile profile;
    private final int perThousand;
    private boolean over;
    private boolean clockSetBack;
    private boolean jumpAfterReading;
    private Moment pauseAt;
    private long pauseLength;

    Faults(SplittableRandom random) {
        this.random = random;
        this.profile = FaultProfile.values()[random.nextInt(FaultProfile.values().length)];
        this.perThousand = random.nextInt(60);
    }

    /** Spreads the faults over the given time. In the profile for the database they leave it time to recover in between. */
    void schedule(SimulatedWorld world, long duration) {
        long freeAt = 0;
        for (int i = 2 + random.nextInt(5); i > 0; i--) {
            Kind kind = profile.kinds().get(random.nextInt(profile.kinds().size()));
            long length = 150 * Timing.MILLISECOND + random.nextLong(LONGEST_FAULT);
            long at = random.nextLong(duration);
            if (kind.ofDatabase() && onlyTheDatabaseFails()) {
                at = freeAt + random.nextLong(Timing.SECOND);
                freeAt = at + length + Timing.LOCK_TIMEOUT;
            }
            world.schedule(at, () -> strike(world, kind, length));
        }
    }

    private void strike(SimulatedWorld world, Kind kind, long length) {
        if (over || world.workers().isEmpty()) {
            return;
        }
        SimulatedWorker victim =
                world.workers().get(random.nextInt(world.workers().size()));
        world.trace(() -> "fault " + kind + " for " + Timing.format(length) + ", victim " + victim.process());
        switch (kind) {
            case CRASH -> world.crash(victim, random.nextLong(1_500 * Timing.MILLISECOND));
            case GRACEFUL_STOP -> {
                world.tally().add(Tally.Count.GRACEFUL_STOPS);
                victim.stopGracefully();
            }
            case PAUSE -> {
                pauseLength = length;
                pauseAt = Moment.values()[random.nextInt(Moment.values().length)];
                at(Moment.NOW, world, victim);
            }
            case PARTITION -> {
                world.tally().add(Tally.Count.PARTITIONS);
                world.database().cutOff(victim.process(), length);
            }
            case OUTAGE -> {
                world.tally().add(Tally.Count.OUTAGES);
                world.database().fail(length, random.nextBoolean(), random.nextBoolean());
            }
            case JUMP -> {
                jumpAfterReading = random.nextInt(3) == 0;
                if (!jumpAfterReading) {
                    jump(world);
                }
            }
            case FAILOVER -> failOver(world, length / 6, random.nextInt(200));
            case FREEZE -> {
                world.tally().add(Tally.Count.FREEZES);
                world.database().fail(length, true, false);
                long back = length + random.nextLong(150 * Timing.MILLISECOND);
                if (random.nextBoolean()) {
                    world.pause(victim, back);
                } else {
                    world.crash(victim, back);
                }
            }
        }
    }

    /** The worst moment for a jump: a reaper has just found the clock in order. */
    void clockRead(SimulatedWorld world) {
        if (jumpAfterReading && !over) {
            jumpAfterReading = false;
            world.schedule(1, () -> jump(world));
        }
    }

    /** A worker is at a moment for which a pause may have been kept. */
    void at(Moment moment, SimulatedWorld world, SimulatedWorker worker) {
        if (moment == pauseAt && !over) {
            pauseAt = null;
            world.pause(worker, pauseLength);
        }
    }

    /** Strikes when the newest commit is a claim, if one comes soon: that is the commit whose loss gives an epoch out twice. */
    private void failOver(SimulatedWorld world, long downtime, int patience) {
        if (patience > 0 && !world.database().newestCommitIsClaim()) {
            world.schedule(5 * Timing.MILLISECOND, () -> failOver(world, downtime, patience - 1));
        } else if (!over) {
            int lost = world.database().failOver(1 + random.nextInt(3), random.nextBoolean() ? downtime : 0);
            world.trace(() -> "failover loses " + lost + " commits");
            world.tally().add(Tally.Count.FAILOVERS);
            world.tally().add(Tally.Count.COMMITS_LOST, lost);
        }
    }

    /** An hour or some seconds ahead, or once in a while ten minutes back. */
    private void jump(SimulatedWorld world) {
        if (random.nextInt(8) == 0 && !clockSetBack) {
            clockSetBack = true;
            world.tally().add(Tally.Count.CLOCK_JUMPS_BACK);
            world.database().jump(-Timing.HOUR / 6);
        } else {
            world.tally().add(Tally.Count.CLOCK_JUMPS_FORWARD);
            world.database().jump(random.nextBoolean() ? Timing.HOUR : random.nextLong(3 * Timing.LOCK_TIMEOUT));
        }
    }

    void stop() {
        over = true;
    }

    boolean losesReply() {
        return !over && random.nextInt(1000) < perThousand;
    }

    boolean doublesStatement() {
        return !over && random.nextInt(1000) < perThousand;
    }

    /** A statement that its caller has given up and that is executed all the same. */
    boolean delaysStatement() {
        return !over && profile.lateStatements() && random.nextInt(1000) < perThousand;
    }

    /** No living worker loses its task in such a seed, however long the outage and however far the jump. */
    boolean onlyTheDatabaseFails() {
        return profile == FaultProfile.DATABASE;
    }

    /** No lease ends earlier than its worker expects. */
    boolean leasesKeepTheirLength() {
        return profile == FaultProfile.HONEST_LEASES;
    }

    boolean clockOnlyMovesOn() {
        return profile == FaultProfile.HONEST_LEASES;
    }

    @Override
    public String toString() {
        return profile + ", " + perThousand + " in 1000 statements disturbed";
    }
}
