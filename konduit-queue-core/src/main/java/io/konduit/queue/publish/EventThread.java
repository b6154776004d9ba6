package io.konduit.queue.publish;

import io.konduit.queue.thread.Phases;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The single thread on which the application's listeners, monitors and wake-ups run, in the order of their calls. It
 * exists only while there are calls to make. When the application is too slow and 10 000 calls are waiting, the newest
 * are dropped, with one warning per burst.
 *
 * <p>It is deliberately not an {@code Executor}: as a bean it would disable the one that Spring Boot creates for the
 * application.
 */
public final class EventThread implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(EventThread.class);
    private static final int MAX_WAITING = 10_000;
    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final Duration LAST_WORDS = Duration.ofSeconds(5);
    private static final long LOOK_NANOS = Duration.ofMillis(5).toNanos();

    private final int mostWaiting;
    private final Duration lastWords;
    private final ThreadPoolExecutor thread;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong dropped = new AtomicLong();
    private volatile boolean running;

    public EventThread() {
        this(MAX_WAITING, LAST_WORDS);
    }

    EventThread(int mostWaiting, Duration lastWords) {
        this.mostWaiting = mostWaiting;
        this.lastWords = lastWords;
        this.thread = new ThreadPoolExecutor(
                1, 1, IDLE.toMillis(), TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), EventThread::daemon);
        thread.allowCoreThreadTimeOut(true);
    }

    private static Thread daemon(Runnable loop) {
        Thread thread = new Thread(loop, "konduit-events");
        thread.setDaemon(true);
        return thread;
    }

    /** Runs the call after all earlier ones. Never waits and never throws. */
    public void tell(Runnable call) {
        if (waiting.incrementAndGet() > mostWaiting) {
            waiting.decrementAndGet();
            drop();
            return;
        }
        try {
            thread.execute(() -> run(call));
        } catch (RuntimeException | Error e) {
            // no thread is available
            waiting.decrementAndGet();
            drop();
        }
    }

    private void run(Runnable call) {
        try {
            call.run();
        } catch (Throwable e) {
            log.warn(
                    "The application failed with {}; the queue continues",
                    e.getClass().getName());
        } finally {
            if (waiting.decrementAndGet() == 0) {
                tellDropped();
            }
        }
    }

    private void drop() {
        if (dropped.getAndIncrement() == 0) {
            log.warn(
                    "The application's listeners are slower than the queue: {} events wait, and new ones are dropped until it has caught up",
                    mostWaiting);
        }
    }

    private void tellDropped() {
        long lost = dropped.getAndSet(0);
        if (lost > 0) {
            log.warn("The application's listeners have caught up; {} events were dropped", lost);
        }
    }

    @Override
    public void start() {
        thread.setKeepAliveTime(IDLE.toMillis(), TimeUnit.MILLISECONDS);
        running = true;
    }

    /** Delivers the pending calls for up to a few seconds. Then the thread ends. */
    @Override
    public void stop() {
        running = false;
        long deadline = System.nanoTime() + lastWords.toNanos();
        thread.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
        while ((waiting.get() > 0 || thread.getPoolSize() > 0) && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        if (waiting.get() > 0) {
            log.warn("{} events were not delivered before the application stopped", waiting.get());
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return Phases.EVENTS;
    }
}
