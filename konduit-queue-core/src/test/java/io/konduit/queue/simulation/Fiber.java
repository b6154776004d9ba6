package io.konduit.queue.simulation;

import io.konduit.queue.worker.SimulatedNode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A piece of work that is carried out in turns: it goes on when the scheduler says so and gives the turn back before each
 * statement. Production code keeps transactions and leases on its thread, so each fiber has one. Only one thread runs at
 * any time, the others are parked: a run depends on the order of the turns alone.
 */
final class Fiber {
    private static final ThreadLocal<Fiber> CURRENT = new ThreadLocal<>();
    private static final ArrayDeque<Carrier> IDLE = new ArrayDeque<>();

    private static final long LONGEST_TURN = Duration.ofSeconds(20).toNanos();

    private final SimulatedProcess process;
    private final String name;
    private final Runnable work;
    private @Nullable Carrier carrier;
    private @Nullable Thread scheduler;
    private volatile boolean turn;
    private boolean ended;

    /** What it is about to do, for the trace. */
    String next = "";

    /** When it goes on. */
    long dueNanos;

    /** Whether it is worth going on before that time. */
    Wake wake = () -> false;

    /** What happens to its next statement. */
    @Nullable
    Fault fault;

    /** Says whether a sleeping fiber should wake. */
    interface Wake {
        boolean isUp();
    }

    Fiber(SimulatedProcess process, String name, Runnable work) {
        this.process = process;
        this.name = name;
        this.work = work;
    }

    /** The fiber of the calling thread; null on the scheduler's. */
    static @Nullable Fiber current() {
        return CURRENT.get();
    }

    SimulatedProcess process() {
        return process;
    }

    String name() {
        return name;
    }

    /** Whether it is the listener of its process. */
    boolean isListener() {
        return name.equals(SimulatedNode.LISTENER);
    }

    boolean isEnded() {
        return ended;
    }

    boolean isDue(long now) {
        return now >= dueNanos || wake.isUp();
    }

    /** Lets it go on until its next pause or its end. */
    void resume() {
        scheduler = Thread.currentThread();
        Carrier on = carrier;
        turn = true;
        if (on == null) {
            on = IDLE.isEmpty() ? new Carrier() : IDLE.pop();
            carrier = on;
            on.carry(this);
        } else {
            LockSupport.unpark(on);
        }
        long begun = System.nanoTime();
        while (turn) {
            LockSupport.parkNanos(this, LONGEST_TURN);
            if (turn && System.nanoTime() - begun > LONGEST_TURN) {
                throw new IllegalStateException(this + " does not give the turn back. It is at "
                        + Arrays.toString(on.getStackTrace()).replace(",", "\n"));
            }
        }
        if (ended) {
            if (process.isAlive()) {
                IDLE.push(on);
            } else {
                // what its thread had bound may be bound still
                on.end();
            }
        }
    }

    /** Gives the turn back, and goes on when it comes again. For the fiber's own thread. */
    void pause() {
        if (!process.isAlive()) {
            throw new ProcessDied();
        }
        turn = false;
        LockSupport.unpark(scheduler);
        boolean interrupted = false;
        while (!turn) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!process.isAlive()) {
            throw new ProcessDied();
        }
    }

    private void run() {
        CURRENT.set(this);
        try {
            work.run();
        } catch (ProcessDied e) {
            // as it should
        } catch (Throwable e) {
            process.world().fail("unexpected in " + this + ": " + e, e);
        } finally {
            CURRENT.remove();
            Thread.interrupted();
            ended = true;
            turn = false;
            LockSupport.unpark(scheduler);
        }
    }

    @Override
    public String toString() {
        return process.name() + " " + name;
    }

    /** The process that a fiber belongs to is gone: nothing more of it is carried out. */
    static final class ProcessDied extends Error {
        private static final long serialVersionUID = 1L;

        ProcessDied() {
            super("The process is gone", null, false, false);
        }
    }

    /** A thread that carries one fiber after the other. */
    private static final class Carrier extends Thread {
        private volatile @Nullable Fiber fiber;
        private volatile boolean over;

        Carrier() {
            super("simulation");
            setDaemon(true);
        }

        void carry(Fiber next) {
            fiber = next;
            if (getState() == State.NEW) {
                start();
            } else {
                LockSupport.unpark(this);
            }
        }

        void end() {
            over = true;
            LockSupport.unpark(this);
        }

        @Override
        public void run() {
            while (!over) {
                Fiber next = fiber;
                if (next == null) {
                    LockSupport.park(this);
                } else {
                    fiber = null;
                    next.run();
                }
            }
        }
    }
}
