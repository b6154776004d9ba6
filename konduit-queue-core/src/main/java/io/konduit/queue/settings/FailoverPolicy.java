package io.konduit.queue.settings;

import java.time.Duration;

/**
 * What happens when the database has lost commits, from {@code konduit.queue.failover.*}.
 *
 * @param pauseQueues whether the queues that this instance serves are paused until an operator resumes them
 * @param memory how long ago a task may have been acknowledged and still be checked
 */
public record FailoverPolicy(boolean pauseQueues, Duration memory) {
    /** The longest memory: a standby that is further behind is unlikely to be promoted unnoticed. */
    public static final Duration LONGEST_MEMORY = Duration.ofMinutes(10);

    /** Pruned tasks must not count as lost. {@code completed} is how long retention keeps tasks; zero means forever. */
    public static FailoverPolicy of(boolean pauseQueues, Duration completed) {
        boolean keepsLonger = completed.isZero() || completed.compareTo(LONGEST_MEMORY) > 0;
        return new FailoverPolicy(pauseQueues, keepsLonger ? LONGEST_MEMORY : completed);
    }

    /** The same where retention also limits how many tasks are kept; zero: it does not. */
    public static FailoverPolicy of(boolean pauseQueues, Duration completed, long completedCount) {
        boolean shortest =
                completedCount > 0 && (completed.isZero() || completed.compareTo(RetentionSettings.LEAST_AGE) > 0);
        return of(pauseQueues, shortest ? RetentionSettings.LEAST_AGE : completed);
    }

    /** The defaults of the properties. */
    public static FailoverPolicy defaults() {
        return of(
                Defaults.flag(Defaults.FAILOVER_PAUSE_QUEUES),
                RetentionSettings.defaults().completed());
    }
}
