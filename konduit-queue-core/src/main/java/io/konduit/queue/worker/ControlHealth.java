package io.konduit.queue.worker;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether this worker's heartbeats get through. While they do not, it claims nothing. */
final class ControlHealth {
    private static final Logger log = LoggerFactory.getLogger(ControlHealth.class);

    private volatile boolean failing;

    boolean isFailing() {
        return failing;
    }

    void failed(RuntimeException cause) {
        if (!failing) {
            failing = true;
            log.warn(
                    "The database does not answer: no task is claimed until it does. {}",
                    ErrorText.withoutMessages(cause));
        }
    }

    void succeeded() {
        if (failing) {
            failing = false;
            log.info("The database answers again: claiming goes on");
        }
    }
}
