package io.konduit.queue.failover;

import io.konduit.queue.store.ServerTime;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * H10: detects that the database was unavailable or restarted, or that its clock jumped, by comparing its clock with this
 * node's monotonic clock. Leases may then have ended although their workers are alive and could not, or did not know
 * to, extend them. So the reaper waits one heartbeat round, in which every live worker extends its leases.
 *
 * <p>The wait is capped: a database that keeps failing delays recovery but never stops it.
 */
public final class OutageGuard {
    private static final Logger log = LoggerFactory.getLogger(OutageGuard.class);
    private static final long TOLERANCE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int CAP_IN_ROUNDS = 5;
    private static final long LEAST_SLACK_NANOS = Duration.ofSeconds(1).toNanos();
    /**
     * Independent of the heartbeat interval: after an outage the pool tries to reconnect at least every five seconds.
     */
    private static final long RECONNECT_NANOS = Duration.ofSeconds(6).toNanos();

    private final long roundNanos;
    private final long outageRoundNanos;
    private final long longestGapNanos;
    private final boolean beating;
    private final LongSupplier nanoTime;
    private final Consumer<ServerTime> witness;
    private @Nullable ServerTime last;
    private long lastSentNanos;
    private long lastAnsweredNanos;
    private boolean alarm;
    private boolean failing;
    private boolean blocked;
    private long blockedUntilNanos;
    private boolean postponing;
    private long postponingSinceNanos;

    /** For a node that queries the database only occasionally. */
    public OutageGuard(Duration heartbeatInterval, LongSupplier nanoTime) {
        this(heartbeatInterval, false, nanoTime);
    }

    /**
     * @param heartbeatInterval how often live workers send heartbeats; zero if there are none to wait for
     * @param beating whether this node itself sends heartbeats that often: a long silence then means that it was frozen or cut off,
     *     and does not know what happened in the meantime
     */
    public OutageGuard(Duration heartbeatInterval, boolean beating, LongSupplier nanoTime) {
        this(heartbeatInterval, beating, nanoTime, serverTime -> {});
    }

    /**
     * @param witness receives every answer of the database after this guard; must not block
     */
    public OutageGuard(
            Duration heartbeatInterval, boolean beating, LongSupplier nanoTime, Consumer<ServerTime> witness) {
        long heartbeat = heartbeatInterval.toNanos();
        this.roundNanos = heartbeat == 0 ? 0 : heartbeat + Math.max(heartbeat / 5, LEAST_SLACK_NANOS);
        this.outageRoundNanos = heartbeat == 0 ? 0 : Math.max(roundNanos, RECONNECT_NANOS);
        // shorter than the shortest lease: an outage that ended a lease cannot be missed
        this.longestGapNanos = heartbeat * 12 / 5;
        this.beating = beating;
        this.nanoTime = nanoTime;
        this.witness = witness;
    }

    /**
     * The database has answered.
     *
     * @param sentNanos this node's time before the question was sent
     */
    public void observed(ServerTime serverTime, long sentNanos) {
        judge(serverTime, sentNanos);
        witness.accept(serverTime);
    }

    private synchronized void judge(ServerTime serverTime, long sentNanos) {
        long now = nanoTime.getAsLong();
        Event event = event(serverTime, sentNanos, now);
        if (last == null) {
            // a server that has just started may have been down since long before this node started
            long up = nanosBetween(serverTime.startedAt(), serverTime.time());
            if (up >= 0 && up < outageRoundNanos) {
                block(now, now + outageRoundNanos - up);
            }
        }
        last = serverTime;
        lastSentNanos = sentNanos;
        lastAnsweredNanos = now;
        failing = false;
        if (event == null) {
            return;
        }
        alarm = true;
        block(now, now + event.waitNanos());
        log.warn(
                "{}: nothing is reclaimed for {} ms, so that live workers can extend their leases",
                event.what(),
                event.waitNanos() / 1_000_000);
    }

    /**
     * Whether leases may have ended unnoticed since the last call, so that this node's worker should extend its own at
     * once. The reaper and the worker's heartbeat share this guard, so either may have noticed.
     */
    public synchronized boolean takeAlarm() {
        boolean taken = alarm;
        alarm = false;
        return taken;
    }

    /** About the time of the database: never behind it, and ahead by a round trip at most. Null before its first answer. */
    public synchronized @Nullable Instant databaseTime() {
        return last == null ? null : last.time().plusNanos(nanoTime.getAsLong() - lastSentNanos);
    }

    /** The database has not answered. */
    public synchronized void failed() {
        failing = true;
    }

    /** How long the reaper must wait before it may reclaim tasks; zero when it may now. */
    public synchronized Duration remaining() {
        long now = nanoTime.getAsLong();
        if (!blocked || now - blockedUntilNanos >= 0) {
            blocked = false;
            postponing = false;
            return Duration.ZERO;
        }
        if (!postponing) {
            postponing = true;
            postponingSinceNanos = now;
        }
        long capLeft = postponingSinceNanos + CAP_IN_ROUNDS * outageRoundNanos - now;
        if (capLeft <= 0) {
            blocked = false;
            postponing = false;
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.min(blockedUntilNanos - now, capLeft));
    }

    private void block(long now, long untilNanos) {
        if (!blocked || now - blockedUntilNanos >= 0) {
            // an earlier wait that is over does not count towards the cap of this one
            postponing = false;
        }
        blocked = true;
        blockedUntilNanos = untilNanos;
    }

    /** What happened, and how long live workers may need to extend their leases. */
    private record Event(String what, long waitNanos) {}

    private @Nullable Event event(ServerTime serverTime, long sentNanos, long now) {
        if (failing) {
            return new Event("The database was unavailable", outageRoundNanos);
        }
        if (last == null) {
            return null;
        }
        if (serverTime.timeline() != last.timeline()) {
            return new Event("The database failed over to timeline " + serverTime.timeline(), outageRoundNanos);
        }
        if (!serverTime.startedAt().equals(last.startedAt())) {
            return new Event("The database was restarted", outageRoundNanos);
        }
        if (beating && sentNanos - lastAnsweredNanos > longestGapNanos) {
            long millis = (sentNanos - lastAnsweredNanos) / 1_000_000;
            return new Event("This instance did not check the database for " + millis + " ms", outageRoundNanos);
        }
        long databaseAdvance = nanosBetween(last.time(), serverTime.time());
        // each answer was given between its query and its arrival, which may be far apart
        long leastAdvance = sentNanos - lastAnsweredNanos;
        long mostAdvance = now - lastSentNanos;
        if (databaseAdvance < leastAdvance - TOLERANCE_NANOS || databaseAdvance > mostAdvance + TOLERANCE_NANOS) {
            long millis = (databaseAdvance - mostAdvance) / 1_000_000;
            return new Event("The database's clock jumped by " + millis + " ms", roundNanos);
        }
        return null;
    }

    private static long nanosBetween(Instant from, Instant to) {
        return Duration.between(from, to).toNanos();
    }
}
