package io.konduit.queue.settings;

import java.time.Duration;

/**
 * The queue's own connections, from {@code konduit.queue.control-pool-size}.
 *
 * @param patience how long a statement may go without an answer before its connection counts as dead
 */
public record ControlPoolSettings(int size, Duration patience) {

    public ControlPoolSettings {
        SettingRules.require(
                size >= 2,
                ("'" + PropertyNames.CONTROL_POOL_SIZE
                                + "' (%d) must be at least 2: a claim must not keep an extension waiting.")
                        .formatted(size));
    }

    /** A connection that has died silently must be noticed within a heartbeat round. */
    public static ControlPoolSettings of(int size, Duration lockTimeout, Duration heartbeatInterval) {
        Duration third = lockTimeout.dividedBy(3);
        return new ControlPoolSettings(size, third.compareTo(heartbeatInterval) < 0 ? third : heartbeatInterval);
    }

    /** The defaults of the properties. */
    public static ControlPoolSettings defaults() {
        WorkerSettings worker = WorkerSettings.defaults();
        return of(Defaults.number(Defaults.CONTROL_POOL_SIZE), worker.lockTimeout(), worker.heartbeatInterval());
    }
}
