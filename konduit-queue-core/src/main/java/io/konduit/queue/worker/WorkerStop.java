package io.konduit.queue.worker;

import io.konduit.queue.thread.Phases;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Makes the worker and the web server stop together. When the context begins to close, the worker stops claiming and
 * its handlers have the drain timeout to finish. Meanwhile the web server refuses new requests and finishes the open
 * ones. This bean then waits for the worker, before anything goes away that handlers or requests use. It waits for the
 * drain timeout, whatever {@code spring.lifecycle.timeout-per-shutdown-phase} says.
 */
public final class WorkerStop
        implements SmartLifecycle, ApplicationContextAware, ApplicationListener<ContextClosedEvent> {
    private final Supplier<WorkerLifecycle> worker;
    private @Nullable ApplicationContext context;

    /**
     * @param worker not a dependency that Spring knows of: Spring stops a bean only after those that depend on it
     */
    public WorkerStop(Supplier<WorkerLifecycle> worker) {
        this.worker = worker;
    }

    @Override
    public void setApplicationContext(ApplicationContext applicationContext) {
        this.context = applicationContext;
    }

    /** Child contexts publish their close event here too. */
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
        return Phases.WORKER_STOPPED;
    }
}
