package io.konduit.queue.worker;

import java.time.Duration;
import java.util.List;

/** The queue's own platform threads: daemons, so that they never keep a JVM alive. */
final class WorkerThreads {
    private WorkerThreads() {}

    static Thread start(String name, Runnable loop) {
        Thread thread = new Thread(loop, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
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
