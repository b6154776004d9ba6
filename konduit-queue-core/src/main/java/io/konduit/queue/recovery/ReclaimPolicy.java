package io.konduit.queue.recovery;

import io.konduit.queue.DurationText;
import io.konduit.queue.InvalidSettingsException;
import java.time.Duration;

/**
 * What is done with the tasks of lost workers, as {@code konduit.queue.*} says.
 *
 * @param grace how long after its end a lease is left alone
 * @param batchSize how many tasks are taken back in one transaction
 * @param isolateAfter a task that has lost this many workers runs alone
 * @param quarantineAfter a task that has lost this many workers is held for a person
 * @param backoff before the second return of a task; the first is at once, later ones wait twice as long each
 * @param backoffCap the longest wait
 */
public record ReclaimPolicy(
        Duration grace, int batchSize, int isolateAfter, int quarantineAfter, Duration backoff, Duration backoffCap) {

    public ReclaimPolicy {
        require(
                !grace.isNegative(),
                "'konduit.queue.reaper-grace' (%s) must not be negative.".formatted(DurationText.of(grace)));
        require(batchSize >= 1, "'konduit.queue.reaper-batch-size' (%d) must be at least 1.".formatted(batchSize));
        require(
                isolateAfter >= 1,
                "'konduit.queue.zombie.isolate-after' (%d) must be at least 1.".formatted(isolateAfter));
        require(
                quarantineAfter >= isolateAfter,
                "'konduit.queue.zombie.quarantine-after' (%d) must be at least 'konduit.queue.zombie.isolate-after' (%d)."
                        .formatted(quarantineAfter, isolateAfter));
        require(
                !backoff.isNegative() && backoffCap.compareTo(backoff) >= 0,
                "'konduit.queue.zombie.backoff-cap' (%s) must be at least 'konduit.queue.zombie.backoff' (%s), and neither negative."
                        .formatted(DurationText.of(backoffCap), DurationText.of(backoff)));
    }

    /** The defaults of the properties. */
    public static ReclaimPolicy defaults() {
        return new ReclaimPolicy(Duration.ZERO, 500, 2, 5, Duration.ofSeconds(5), Duration.ofMinutes(5));
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new InvalidSettingsException(message);
        }
    }
}
