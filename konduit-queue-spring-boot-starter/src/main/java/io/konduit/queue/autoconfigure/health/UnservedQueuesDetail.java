package io.konduit.queue.autoconfigure.health;

import io.konduit.queue.settings.PropertyNames;
import io.konduit.queue.worker.DeclaredQueues;
import java.util.List;
import java.util.SortedMap;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.dao.DataAccessException;

/** Adds the declared queues that no live worker serves. Not a reason to be DOWN: a restart would not help. */
record UnservedQueuesDetail(KonduitQueueHealthIndicator indicator, DeclaredQueues declared) implements HealthIndicator {

    @Override
    public Health health() {
        Health health = indicator.health();
        if (Status.DOWN.equals(health.getStatus()) && !health.getDetails().containsKey("controlPathMillis")) {
            // the database does not answer
            return health;
        }
        SortedMap<String, List<String>> unserved;
        try {
            unserved = declared.unserved();
        } catch (DataAccessException e) {
            return health;
        }
        return unserved.isEmpty()
                ? health
                : new Health.Builder(health.getStatus(), health.getDetails())
                        .withDetail("unservedQueues", unserved)
                        .withDetail(
                                "unservedQueuesNote",
                                "Handlers declare these queues, and no live worker serves them. Look at '"
                                        + PropertyNames.WORKER_QUEUES + "' of the workers.")
                        .build();
    }
}
