package io.konduit.queue.recovery;

import io.konduit.queue.store.DatabaseMoment;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * H10: notices that the database was away, restarted, or that its clock jumped, by comparing its clock with this node's
 * monotonic one. Leases may then have ended although their workers are alive and could not, or did not know to, extend
 * them. So the reaper waits one heartbeat round, in which every living worker extends its leases.
 *
 * <p>The wait is capped: a database that keeps failing delays recovery, and never stops it.
 */
public final class OutageGuard {
    private static final Logger log = LoggerFactory.getLogger(OutageGuard.class);
    private static final long TOLERANCE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int CAP_IN_ROUNDS = 5;
    private static final long LEAST_SLACK_NANOS = Duration.ofSeconds(1).toNanos();
    /** However often a worker beats: after an outage its pool tries to connect again every five seconds at most. */
    private static final long RECONNECT_NANOS = Duration.ofSeconds(6).toNanos();

    private final long roundNanos;
    private final long outageRoundNanos;
    private final long longestGapNanos;
    private final boolean beating;
    private final LongSupplier nanoTime;
    private final Consumer<DatabaseMoment> witness;
    private @Nullable DatabaseMoment last;
    private long lastSentNanos;
    private long lastAnsweredNanos;
    private boolean alarm;
    private boolean failing;
    private boolean blocked;
    private long blockedUntilNanos;
    private boolean postponing;
    private long postponingSinceNanos;

    /** For a node that asks the database only now and then. */
    public OutageGuard(Duration heartbeatInterval, LongSupplier nanoTime) {
        this(heartbeatInterval, false, nanoTime);
    }

    /**
     * @param heartbeatInterval how often living workers are heard of; zero when there are none to wait for
     * @param beating whether this node itself asks the database that often, so that a long silence means that it was
     *     frozen or cut off and does not know what happened meanwhile
     */
    public OutageGuard(Duration heartbeatInterval, boolean beating, LongSupplier nanoTime) {
        this(heartbeatInterval, beating, nanoTime, moment -> {});
    }

    /**
     * @param witness told of every answer of the database after this guard; must not block
     */
    public OutageGuard(
            Duration heartbeatInterval, boolean beating, LongSupplier nanoTime, Consumer<DatabaseMoment> witness) {
        long heartbeat = heartbeatInterval.toNanos();
        this.roundNanos = heartbeat == 0 ? 0 : heartbeat + Math.max(heartbeat / 5, LEAST_SLACK_NANOS);
        this.outageRoundNanos = heartbeat == 0 ? 0 : Math.max(roundNanos, RECONNECT_NANOS);
        // less than the shortest lease: nobody can miss an outage that ended one
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
    public void observed(DatabaseMoment moment, long sentNanos) {
        judge(moment, sentNanos);
        witness.accept(moment);
    }

    private synchronized void judge(DatabaseMoment moment, long sentNanos) {
        long now = nanoTime.getAsLong();
        Event event = event(moment, sentNanos, now);
        if (last == null) {
            // a server that has only just come up may have been away for long before this node started
            long up = nanosBetween(moment.startedAt(), moment.moment());
            if (up >= 0 && up < outageRoundNanos) {
                block(now, now + outageRoundNanos - up);
            }
        }
        last = moment;
        lastSentNanos = sentNanos;
        lastAnsweredNanos = now;
        failing = false;
        if (event == null) {
            return;
        }
        alarm = true;
        block(now, now + event.waitNanos());
        log.warn(
                "{}: nothing is reclaimed for {} ms, so that living workers can extend their leases",
                event.what(),
                event.waitNanos() / 1_000_000);
    }

    /**
     * Whether leases may have ended unnoticed since this was last asked, so that this node's worker should extend its own
     * at once. It does not matter who noticed: the reaper and the worker's heartbeat share this guard.
     */
    public synchronized boolean takeAlarm() {
        boolean taken = alarm;
        alarm = false;
        return taken;
    }

    /** The database has not answered. */
    public synchronized void failed() {
        failing = true;
    }

    /** How long the reaper must wait before it may take tasks back; zero when it may now. */
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
            // an earlier wait that is over, seen to the end or not, does not count towards the cap of this one
            postponing = false;
        }
        blocked = true;
        blockedUntilNanos = untilNanos;
    }

    /** What happened, and how long living workers may need to extend their leases. */
    private record Event(String what, long waitNanos) {}

    private @Nullable Event event(DatabaseMoment moment, long sentNanos, long now) {
        if (failing) {
            return new Event("The database was away", outageRoundNanos);
        }
        if (last == null) {
            return null;
        }
        if (moment.timeline() != last.timeline()) {
            return new Event("The database failed over to timeline " + moment.timeline(), outageRoundNanos);
        }
        if (!moment.startedAt().equals(last.startedAt())) {
            return new Event("The database was restarted", outageRoundNanos);
        }
        if (beating && sentNanos - lastAnsweredNanos > longestGapNanos) {
            long millis = (sentNanos - lastAnsweredNanos) / 1_000_000;
            return new Event("This instance did not look for " + millis + " ms", outageRoundNanos);
        }
        long databaseAdvance = nanosBetween(last.moment(), moment.moment());
        // each answer was given at some time between its question and its arrival, which may be far apart
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
