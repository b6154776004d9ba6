package io.konduit.queue.protocol;

import java.util.ArrayList;
import java.util.List;

/** A JVM: it can be killed, or stopped and resumed with everything that should have happened meanwhile still to be done. */
final class SimulatedProcess {
    private final SimulatedWorld world;
    private final String name;
    private final long partsPerMillionFast;
    private final long wallClockOffset;
    private final List<Runnable> backlog = new ArrayList<>();
    private boolean dead;
    private boolean paused;
    private long resumedAt = Long.MIN_VALUE / 2;

    SimulatedProcess(SimulatedWorld world, String name, long partsPerMillionFast, long wallClockOffset) {
        this.world = world;
        this.name = name;
        this.partsPerMillionFast = partsPerMillionFast;
        this.wallClockOffset = wallClockOffset;
    }

    /** The monotonic clock, which goes on while the process is stopped and is a little too fast or too slow. */
    long nanoTime() {
        return world.now() + world.now() / 1_000_000 * partsPerMillionFast;
    }

    /** The clock on the wall of this machine, which may be off by a day. */
    long wallClock() {
        return world.now() + wallClockOffset;
    }

    /** Runs something in this process after a delay, if it still lives then, or when it resumes. */
    void after(long delay, Runnable task) {
        world.schedule(Math.max(0, delay), () -> run(task));
    }

    void pause() {
        paused = true;
    }

    /** Does in any order what was due while the process was stopped. */
    void resume() {
        paused = false;
        resumedAt = world.now();
        List<Runnable> due = new ArrayList<>(backlog);
        backlog.clear();
        while (!due.isEmpty()) {
            run(due.remove(world.random(due.size())));
        }
    }

    void kill() {
        dead = true;
        backlog.clear();
    }

    boolean dead() {
        return dead;
    }

    boolean paused() {
        return paused;
    }

    boolean pausedLately() {
        return paused || world.now() - resumedAt < 2 * Timing.LOCK_TIMEOUT;
    }

    @Override
    public String toString() {
        return name;
    }

    private void run(Runnable task) {
        if (paused && !dead) {
            backlog.add(task);
        } else if (!dead) {
            task.run();
        }
    }
}
