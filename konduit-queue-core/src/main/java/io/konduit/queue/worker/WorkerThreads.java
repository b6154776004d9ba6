package io.konduit.queue.worker;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue's own platform threads: daemons, so that they never keep a JVM alive. A loop that ends with an error, whatever
 * it is, begins again: without it the worker would look alive and do nothing.
 */
final class WorkerThreads {
    private static final Logger log = LoggerFactory.getLogger(WorkerThreads.class);
    private static final long PAUSE_AFTER_ERROR = Duration.ofMillis(100).toNanos();

    private WorkerThreads() {}

    /** A thread that knows when its loop made its last step. */
    private static final class LoopThread extends Thread {
        private volatile long steppedNanos = System.nanoTime();
        private volatile boolean tellsSteps;

        LoopThread(Runnable loop, String name) {
            super(loop, name);
        }
    }

    static Thread start(String name, Runnable loop) {
        Thread thread = new LoopThread(unending(loop), name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** The loop until it returns, however often it fails. */
    static Runnable unending(Runnable loop) {
        return () -> {
            while (true) {
                try {
                    loop.run();
                    return;
                } catch (Throwable e) {
                    tell(e);
                    LockSupport.parkNanos(PAUSE_AFTER_ERROR);
                }
            }
        };
    }

    /** Logging needs memory, of which there may be none. */
    private static void tell(Throwable error) {
        try {
            log.error("A loop of the queue ended with an error and begins again", error);
        } catch (Throwable e) {
            // the loop is more important than its message
        }
    }

    /** The loop of the calling thread goes on. */
    static void stepped() {
        if (Thread.currentThread() instanceof LoopThread loop) {
            loop.steppedNanos = System.nanoTime();
            loop.tellsSteps = true;
        }
    }

    /** How long ago the thread's loop made its last step; null when it does not tell. */
    static @Nullable Duration sinceStep(Thread thread) {
        return thread instanceof LoopThread loop && loop.tellsSteps
                ? Duration.ofNanos(System.nanoTime() - loop.steppedNanos)
                : null;
    }

    /** Waits for the threads to end, all together at most that long; false when one is still there. */
    static boolean join(List<Thread> threads, Duration most) {
        long deadline = System.nanoTime() + most.toNanos();
        try {
            for (Thread thread : threads) {
                long left = (deadline - System.nanoTime()) / 1_000_000;
                thread.join(Math.max(1, left));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return threads.stream().noneMatch(Thread::isAlive);
    }
}
