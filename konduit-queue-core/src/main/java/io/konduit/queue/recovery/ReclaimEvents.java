package io.konduit.queue.recovery;

import io.konduit.queue.event.ReaperFailed;
import io.konduit.queue.publish.QueueEvents;
import java.util.Set;
import java.util.function.Consumer;

/** Reports what recovery does to the metrics, the application's listeners and the workers. */
public final class ReclaimEvents {
    private final String actor;
    private final QueueEvents events;
    private final ReclaimMonitor monitor;
    private final Consumer<Set<String>> wakeUp;

    /**
     * @param actor the name recorded in the incidents
     * @param wakeUp receives the queues that have tasks again
     */
    public ReclaimEvents(String actor, QueueEvents events, ReclaimMonitor monitor, Consumer<Set<String>> wakeUp) {
        this.actor = actor;
        this.events = events;
        this.monitor = monitor;
        this.wakeUp = wakeUp;
    }

    public String actor() {
        return actor;
    }

    public Consumer<Set<String>> wakeUp() {
        return wakeUp;
    }

    /** For one pass. */
    ReclaimReport newReport() {
        return new ReclaimReport(events, monitor, wakeUp);
    }

    public void passSucceeded() {
        monitor.passSucceeded();
    }

    public void passFailed(RuntimeException error) {
        monitor.passFailed();
        events.publish(new ReaperFailed(error.getClass().getName()));
    }
}
