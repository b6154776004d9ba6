package io.konduit.queue.autoconfigure;

import io.konduit.queue.settings.PropertyNames;
import io.konduit.queue.worker.DeclaredQueues;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;

/** Warns at start-up about declared queues that no worker serves. This instance's own worker is registered by then. */
record UnservedQueuesWarning(DeclaredQueues declared, List<String> configured, ApplicationContext context) {
    private static final Logger log = LoggerFactory.getLogger(UnservedQueuesWarning.class);

    @EventListener
    void started(ContextRefreshedEvent event) {
        // without a setting, this worker serves all of them itself
        if (event.getApplicationContext() == context && !configured.isEmpty()) {
            warn();
        }
    }

    private void warn() {
        try {
            declared.unserved()
                    .forEach((queue, types) -> log.warn(
                            "No live worker serves queue '{}', which the handlers of {} declare: their tasks wait. This worker serves {} only. Add the queue to '"
                                    + PropertyNames.WORKER_QUEUES
                                    + "', or remove that setting to serve what handlers declare",
                            queue,
                            types,
                            configured));
        } catch (DataAccessException e) {
            log.debug("Cannot check now whether all declared queues are served", e);
        }
    }
}
