package io.konduit.queue.worker;

import io.konduit.queue.thread.Phases;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * S11: keeps the JVM running while this instance works. All other threads of the queue are daemons, so an application
 * without a web server would otherwise exit right after start-up.
 *
 * <p>It starts first and stops last, so a draining worker is still kept alive. When another bean fails to start, the
 * context stops or destroys this one and the JVM exits.
 */
public final class KeepAlive implements SmartLifecycle, DisposableBean {
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
        return Phases.KEEP_ALIVE;
    }
}
