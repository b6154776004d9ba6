package io.konduit.queue.event;

import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes events and keeps the errors of listeners away from the queue. With an {@link EventThread} it keeps their time
 * away too: no code of the application runs on the threads that keep leases, write outcomes, claim or reap.
 */
public final class QueueEvents {
    private static final Logger log = LoggerFactory.getLogger(QueueEvents.class);

    private final ApplicationEventPublisher publisher;
    private final Executor executor;

    /** Publishes on the calling thread: for tests, where an event is to be there when the call returns. */
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
                    "A listener of {} failed with {}; the queue goes on",
                    event.getClass().getSimpleName(),
                    e.getClass().getName());
        }
    }
}
