package io.konduit.queue.review;

import io.konduit.queue.admin.MinutePace;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One minute of {@code pace.sql}.
 *
 * @param ended how many rows were read, from both ends of the minute
 * @param completed how many of them completed
 * @param headSeconds the time between the first and the last row that was read from the start of the minute
 * @param tailSeconds the same for its end; null when the rows from the start are all there are
 * @param gapSeconds the time between them
 */
record PaceRow(
        Instant minute,
        long ended,
        long completed,
        @Nullable Double headSeconds,
        @Nullable Double tailSeconds,
        @Nullable Double gapSeconds,
        @Nullable Double pickupP50,
        @Nullable Double pickupP95,
        @Nullable Double runP50,
        @Nullable Double runP95,
        long failed,
        @Nullable Double failedSeconds,
        boolean estimated) {

    private static final double SECONDS = 60;

    MinutePace toPace(int cap) {
        return new MinutePace(
                minute,
                Math.round(completed * (1 + between(cap) / Math.max(1, ended))),
                failed < cap || failedSeconds == null || failedSeconds <= 0
                        ? failed
                        : Math.round(failed * SECONDS / failedSeconds),
                estimated,
                pickupP50,
                pickupP95,
                runP50,
                runP95);
    }

    /** How many rows there are between those that were read: the mean of both rates over the gap. */
    private double between(int cap) {
        if (ended < 2L * cap || headSeconds == null || tailSeconds == null || gapSeconds == null) {
            return 0;
        }
        return gapSeconds * (rate(cap, headSeconds) + rate(cap, tailSeconds)) / 2;
    }

    private static double rate(int rows, double seconds) {
        return seconds > 0 ? rows / seconds : 0;
    }
}
