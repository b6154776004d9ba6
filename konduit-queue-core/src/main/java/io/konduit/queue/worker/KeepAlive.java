package io.konduit.queue.worker;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * S11: keeps the JVM running while this instance works. All other threads of the queue are daemons, so that an
 * application without a web server would otherwise end as soon as it has started.
 *
 * <p>It starts first and stops last: a worker that drains is still kept alive. When the start of another bean fails, the
 * context stops or destroys it, and the JVM ends.
 */
public final class KeepAlive implements SmartLifecycle, DisposableBean {
    /** Before the worker and the leader's scheduler, and after both have stopped. */
    private static final int PHASE = WorkerStop.PHASE - 2;

    private @Nullable CountDownLatch stopped;

    @Override
    public synchronized void start() {
        if (stopped == null) {
            CountDownLatch end = new CountDownLatch(1);
            stopped = end;
            Thread thread = new Thread(() -> await(end), "konduit-keep-alive");
            thread.setDaemon(false);
            thread.start();
        }
    }

    private static void await(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized void stop() {
        if (stopped != null) {
            stopped.countDown();
            stopped = null;
        }
    }

    @Override
    public void destroy() {
        stop();
    }

    @Override
    public synchronized boolean isRunning() {
        return stopped != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
