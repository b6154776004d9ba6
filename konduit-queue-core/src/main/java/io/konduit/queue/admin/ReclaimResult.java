package io.konduit.queue.admin;

import java.time.Duration;

/**
 * The result of a pass.
 *
 * @param reclaimed tasks that are back in the queue
 * @param held tasks that are held for review because they are not reapable
 * @param quarantined tasks that are held for review because they lost too many workers
 * @param busy orphans whose rows were locked, or that were extended or reclaimed elsewhere in the meantime
 * @param postponed how long the pass has to wait after an outage or clock jump; zero when it was done
 */
public record ReclaimResult(int reclaimed, int held, int quarantined, int busy, Duration postponed) {

    /** Nothing was done: the pass must wait. */
    public static ReclaimResult postponed(Duration wait) {
        return new ReclaimResult(0, 0, 0, 0, wait);
    }

    /** How many tasks were taken from their workers. */
    public int total() {
        return reclaimed + held + quarantined;
    }
}
