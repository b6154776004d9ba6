package io.konduit.queue.worker;

import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.log.LogThrottle;
import java.util.Collection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether this worker's heartbeats get through. While they do not, it claims nothing. */
final class ControlHealth {
    private static final Logger log = LoggerFactory.getLogger(ControlHealth.class);

    private final LogThrottle throttle = new LogThrottle();
    private volatile boolean failing;

    boolean isFailing() {
        return failing;
    }

    void failed(RuntimeException cause) {
        if (!failing) {
            failing = true;
            log.warn(
                    "The database does not answer: no task is claimed until it does ({})",
                    DatabaseErrors.summary(cause));
            log.debug("The database does not answer: {}", ErrorText.withoutMessages(cause));
        }
    }

    /** Logs once for all slot groups, and not at all if the heartbeats have already reported the outage. */
    void cannotPoll(Collection<String> queues, RuntimeException cause) {
        if (!failing && throttle.isDue("poll")) {
            log.warn("Queues {} cannot be polled ({})", queues, DatabaseErrors.summary(cause));
        }
        log.debug("Queues {} cannot be polled: {}", queues, ErrorText.withoutMessages(cause));
    }

    void succeeded() {
        if (failing) {
            failing = false;
            log.info("The database answers again: claiming continues");
        }
    }
}
