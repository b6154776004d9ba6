package io.konduit.queue.failover;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * How this instance watches for lost commits.
 *
 * @param beating whether this instance has a worker or runs chores, so that its beats tell
 * @param memory how long ago a task may have been acknowledged and still be looked for; less than retention keeps tasks
 * @param queuesToPause the queues to pause until a person resumes them; none when nothing is to be paused. Asked when needed: handlers declare queues
 */
public record FailoverSettings(boolean beating, Duration memory, Supplier<List<String>> queuesToPause) {
    /** The longest memory: a standby that is further behind is hardly promoted unseen. */
    public static final Duration LONGEST_MEMORY = Duration.ofMinutes(10);

    public FailoverSettings(boolean beating, Duration memory, List<String> queuesToPause) {
        this(beating, memory, () -> queuesToPause);
    }
}
