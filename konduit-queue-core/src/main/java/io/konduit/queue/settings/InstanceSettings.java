package io.konduit.queue.settings;

import java.time.Duration;
import java.util.List;

/**
 * What this instance does, and how it reports to others.
 *
 * @param runsTasks whether it is a worker
 * @param runsChores whether it takes part in the background chores
 * @param queues exactly these queues are served; none for the default queue and those that handlers declare
 * @param heartbeatInterval how often it sends a heartbeat, if it runs tasks or chores
 */
public record InstanceSettings(boolean runsTasks, boolean runsChores, List<String> queues, Duration heartbeatInterval) {

    public InstanceSettings {
        queues = List.copyOf(queues);
    }

    /** The defaults of the properties. */
    public static InstanceSettings defaults() {
        boolean enabled = Defaults.flag(Defaults.WORKER_ENABLED);
        WorkerSettings worker = WorkerSettings.defaults();
        return new InstanceSettings(enabled, enabled, worker.queues(), worker.heartbeatInterval());
    }

    /** Whether it sends heartbeats. */
    public boolean beats() {
        return runsTasks || runsChores;
    }
}
