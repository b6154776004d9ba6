package io.konduit.queue.event;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/** Publishes events and keeps the errors of listeners away from the queue. */
public final class QueueEvents {
    private static final Logger log = LoggerFactory.getLogger(QueueEvents.class);

    private final ApplicationEventPublisher publisher;

    public QueueEvents(ApplicationEventPublisher publisher) {
        this.publisher = publisher;
    }

    public void publish(Object event) {
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
