package io.konduit.queue.leader;

import io.konduit.queue.DurationText;
import io.konduit.queue.InvalidSettingsException;
import java.time.Duration;

/**
 * How leadership is held, as {@code konduit.queue.leader.*} says.
 *
 * @param lockTtl after which a crashed leader is replaced
 */
public record LeaderSettings(Duration lockTtl, Duration renewInterval, Duration acquireRetryInterval) {

    public LeaderSettings {
        positive(lockTtl, "konduit.queue.leader.lock-ttl");
        positive(renewInterval, "konduit.queue.leader.renew-interval");
        positive(acquireRetryInterval, "konduit.queue.leader.acquire-retry-interval");
        require(
                renewInterval.multipliedBy(3).compareTo(lockTtl) <= 0,
                "'konduit.queue.leader.lock-ttl' (%s) must be at least three times 'konduit.queue.leader.renew-interval' (%s)."
                        .formatted(DurationText.of(lockTtl), DurationText.of(renewInterval)));
    }

    /** The defaults of the properties. */
    public static LeaderSettings defaults() {
        return new LeaderSettings(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(5));
    }

    private static void positive(Duration value, String property) {
        require(
                !value.isNegative() && !value.isZero(),
                "'%s' (%s) must be greater than zero.".formatted(property, DurationText.of(value)));
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new InvalidSettingsException(message);
        }
    }
}
