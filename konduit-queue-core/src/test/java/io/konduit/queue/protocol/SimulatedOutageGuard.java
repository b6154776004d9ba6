package io.konduit.queue.protocol;

/**
 * Holds the reaper back for one heartbeat round after anything that may have kept living workers from extending: a failed pass, a
 * clock that jumped, a restarted database, a first pass, or a gap in which the reaper itself saw nothing.
 */
final class SimulatedOutageGuard {
    private final Sabotage sabotage;
    private final ClockWatch watch = new ClockWatch();
    private boolean suspicious;
    private long lastReceived;
    private long waitUntil = Long.MIN_VALUE;
    private long waitingSince = Long.MAX_VALUE;

    SimulatedOutageGuard(Sabotage sabotage) {
        this.sabotage = sabotage;
        this.suspicious = sabotage != Sabotage.FIRST_PASS_UNGUARDED;
        this.lastReceived = Long.MIN_VALUE;
    }

    /** The pass could not read the database. */
    void failed() {
        suspicious |= sabotage != Sabotage.OUTAGE_UNNOTICED;
    }

    /** Whether the pass may reclaim what had expired at this reading. */
    boolean mayReclaim(ClockReading reading, long sent, long received) {
        boolean jumped = watch.jumped(reading, sent, received) && sabotage != Sabotage.JUMP_UNNOTICED;
        boolean blind = lastReceived != Long.MIN_VALUE
                && received - lastReceived > Timing.LONGEST_BLIND_GAP
                && sabotage != Sabotage.BLIND_GAP_UNNOTICED
                && sabotage != Sabotage.OUTAGE_UNNOTICED;
        if (suspicious || jumped || blind) {
            waitUntil = received + Timing.GUARD_ROUND;
            waitingSince = Math.min(waitingSince, received);
        }
        suspicious = false;
        lastReceived = received;
        boolean waited = received >= waitUntil || received - waitingSince > Timing.GUARD_CAP;
        if (waited) {
            waitingSince = Long.MAX_VALUE;
        }
        return waited || sabotage == Sabotage.NO_OUTAGE_GUARD;
    }

    /** How long the next pass would still be held back. */
    long remaining(long now) {
        return Math.max(0, waitUntil - now);
    }
}
