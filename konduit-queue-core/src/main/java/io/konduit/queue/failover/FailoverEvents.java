package io.konduit.queue.failover;

import io.konduit.queue.event.DatabaseWentBack;
import io.konduit.queue.publish.QueueEvents;

/** Reports lost commits to the metrics and the application's listeners. */
public record FailoverEvents(QueueEvents events, FailoverMonitor monitor) {

    void wentBack(DatabaseWentBack loss) {
        monitor.wentBack(loss.lostTasks());
        events.publish(loss);
    }
}
