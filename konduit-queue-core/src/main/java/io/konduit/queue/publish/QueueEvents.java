package io.konduit.queue.publish;

import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes events and shields the queue from errors of listeners. With an {@link EventThread} it also shields it from
 * slow listeners: no application code runs on the threads that extend leases, write outcomes, claim or reap.
 */
public final class QueueEvents {
    private static final Logger log = LoggerFactory.getLogger(QueueEvents.class);

    private final ApplicationEventPublisher publisher;
    private final Executor executor;

    /** Publishes on the calling thread: for tests, where the event must have arrived when the call returns. */
    public QueueEvents(ApplicationEventPublisher publisher) {
        this(publisher, Runnable::run);
    }

    public QueueEvents(ApplicationEventPublisher publisher, Executor executor) {
        this.publisher = publisher;
        this.executor = executor;
    }

    public void publish(Object event) {
        executor.execute(() -> deliver(event));
    }

    private void deliver(Object event) {
        try {
            publisher.publishEvent(event);
        } catch (Throwable e) {
            log.warn(
                    "A listener of {} failed with {}; the queue continues",
                    event.getClass().getSimpleName(),
                    e.getClass().getName());
        }
    }
}
