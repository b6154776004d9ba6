package io.konduit.queue.thread;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue's own platform threads. They are daemons, so they never keep a JVM alive. A loop that ends with any error
 * is restarted: otherwise the worker would look alive and do nothing.
 */
public final class QueueThreads {
    private static final Logger log = LoggerFactory.getLogger(QueueThreads.class);
    private static final long PAUSE_AFTER_ERROR = Duration.ofMillis(100).toNanos();

    private QueueThreads() {}

    /** A thread that records when its loop last made a step. */
    private static final class LoopThread extends Thread {
        private volatile long steppedNanos = System.nanoTime();
        private volatile boolean tellsSteps;

        LoopThread(Runnable loop, String name) {
            super(loop, name);
        }
    }

    public static Thread start(String name, Runnable loop) {
        Thread thread = new LoopThread(unending(loop), name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** A daemon thread, not started yet. */
    public static Thread daemon(Runnable run) {
        Thread thread = new Thread(run);
        thread.setDaemon(true);
        return thread;
    }

    /** Runs the loop until it returns, however often it fails. */
    public static Runnable unending(Runnable loop) {
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

    /** Logging needs memory, and there may be none. */
    private static void tell(Throwable error) {
        try {
            log.error("A loop of the queue ended with an error and restarts", error);
        } catch (Throwable e) {
            // the loop is more important than its message
        }
    }

    /** Records a step of the calling thread's loop. */
    public static void stepped() {
        if (Thread.currentThread() instanceof LoopThread loop) {
            loop.steppedNanos = System.nanoTime();
            loop.tellsSteps = true;
        }
    }

    /** How long ago the thread's loop last made a step; null when it does not record steps. */
    public static @Nullable Duration sinceStep(Thread thread) {
        return thread instanceof LoopThread loop && loop.tellsSteps
                ? Duration.ofNanos(System.nanoTime() - loop.steppedNanos)
                : null;
    }

    /** Waits for all threads to end, within the limit in total; false when one is still alive. */
    public static boolean join(List<Thread> threads, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
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
