package io.konduit.queue.recovery;

import java.time.Duration;

/**
 * What a pass has done.
 *
 * @param reclaimed tasks that are back in the queue
 * @param held tasks that wait for a person because they are not reapable
 * @param quarantined tasks that wait for a person because they lost too many workers
 * @param busy orphans whose rows were locked, or that were extended or taken by somebody else meanwhile
 * @param postponed how long the pass has to wait after an outage or clock jump; zero when it was done
 */
public record ReclaimResult(int reclaimed, int held, int quarantined, int busy, Duration postponed) {

    static ReclaimResult postponed(Duration wait) {
        return new ReclaimResult(0, 0, 0, 0, wait);
    }

    /** How many tasks were taken from their workers. */
    public int total() {
        return reclaimed + held + quarantined;
    }
}
