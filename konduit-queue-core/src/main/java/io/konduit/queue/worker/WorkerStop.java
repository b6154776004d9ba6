package io.konduit.queue.worker;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Makes the stop of the worker and of the web server one stop. When the context begins to close, the worker takes in nothing
 * more and its handlers have the drain time to end. Meanwhile the web server refuses new requests and ends those it has.
 * This waits for the worker after that, and before anything goes away that handlers or requests use. It waits as long
 * as the drain time says, whatever {@code spring.lifecycle.timeout-per-shutdown-phase} is.
 */
public final class WorkerStop
        implements SmartLifecycle, ApplicationContextAware, ApplicationListener<ContextClosedEvent> {
    /** Between the graceful shutdown of the web server (1024 below the default) and its end (2048 below). */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1_536;

    private final Supplier<WorkerLifecycle> worker;
    private @Nullable ApplicationContext context;

    /**
     * @param worker no dependency that Spring knows of: it stops a bean only after those that depend on it
     */
    public WorkerStop(Supplier<WorkerLifecycle> worker) {
        this.worker = worker;
    }

    @Override
    public void setApplicationContext(ApplicationContext applicationContext) {
        this.context = applicationContext;
    }

    /** Contexts below this one tell of their end too. */
    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == context) {
            worker.get().beginStop();
        }
    }

    /** The worker starts by itself. */
    @Override
    public void start() {}

    @Override
    public void stop() {
        worker.get().awaitStopped();
    }

    @Override
    public boolean isRunning() {
        return worker.get().isRunning();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
