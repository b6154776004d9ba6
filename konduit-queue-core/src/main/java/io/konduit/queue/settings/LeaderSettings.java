package io.konduit.queue.settings;

import java.time.Duration;

/**
 * How leadership is held, from {@code konduit.queue.leader.*}.
 *
 * @param lockTtl the time after which a crashed leader is replaced
 */
public record LeaderSettings(Duration lockTtl, Duration renewInterval, Duration acquireRetryInterval) {

    public LeaderSettings {
        SettingRules.requirePositive(lockTtl, PropertyNames.LEADER_LOCK_TTL);
        SettingRules.requirePositive(renewInterval, PropertyNames.LEADER_RENEW_INTERVAL);
        SettingRules.requirePositive(acquireRetryInterval, PropertyNames.LEADER_ACQUIRE_RETRY_INTERVAL);
        SettingRules.require(
                renewInterval.multipliedBy(3).compareTo(lockTtl) <= 0,
                ("'" + PropertyNames.LEADER_LOCK_TTL + "' (%s) must be at least three times '"
                                + PropertyNames.LEADER_RENEW_INTERVAL + "' (%s).")
                        .formatted(DurationText.of(lockTtl), DurationText.of(renewInterval)));
    }

    /** The same settings, with followers that check at least this often. */
    public LeaderSettings retryingAtLeastEvery(Duration interval) {
        return interval.compareTo(acquireRetryInterval) < 0
                ? new LeaderSettings(lockTtl, renewInterval, interval)
                : this;
    }

    /** The defaults of the properties. */
    public static LeaderSettings defaults() {
        return new LeaderSettings(
                Defaults.duration(Defaults.LEADER_LOCK_TTL),
                Defaults.duration(Defaults.LEADER_RENEW_INTERVAL),
                Defaults.duration(Defaults.LEADER_ACQUIRE_RETRY_INTERVAL));
    }
}
