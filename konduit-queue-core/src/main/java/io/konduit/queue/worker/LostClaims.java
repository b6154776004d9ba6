package io.konduit.queue.worker;

import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.store.HeldLease;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Finds the tasks of a claim whose reply was lost. The server may still execute that claim, at once or after a lock is
 * released. No worker runs such a task. It is given back uncharged, before its lease ends and it counts as a zombie.
 *
 * <ol>
 *   <li>Every claim has a ticket. A claim without a reply is lost, unless the server said that it did nothing.
 *   <li>From then on this worker looks for leases in its name: at once, repeatedly, and later with every heartbeat.
 *   <li>All leases of a claim began at the same time, so a lease is known if a claim with that time was received. A
 *       known lease is never given back here, even if this worker has dropped it: its outcome or the reaper decides.
 *   <li>The times of old claims are forgotten. A lease that began no later than one of those may be known and is left
 *       alone. No other order of the times counts, because the clock of the database may be set back.
 *   <li>A lease that may belong to a claim in flight waits for that claim to end.
 *   <li>Tasks of a received claim that could not be accepted, for example for lack of memory, are given back by id.
 *   <li>If the node dies before the give-back, the lease ends and the reaper acts, as after any crash.
 * </ol>
 */
final class LostClaims {
    private static final Logger log = LoggerFactory.getLogger(LostClaims.class);
    private static final long FIRST_PAUSE = Duration.ofMillis(100).toNanos();
    /** A lock may delay the statement this long. After that the reaper handles the lease when it ends. */
    private static final long SUSPICION = Duration.ofMinutes(10).toNanos();

    /** Claims received before a lost one whose times are remembered. */
    static final int REMEMBERED = 1_024;

    private static final int LAST_LOOKS = 5;
    private static final Duration NOT_ACCEPTED_PAUSE = Duration.ofSeconds(5);

    private final LeaseRepository leases;
    private final ActiveLeases active;
    private final long longestPause;
    private final LongSupplier nanoTime;
    private final Consumer<Duration> gaveBack;
    private final Set<Ticket> underWay = new HashSet<>();
    private final List<Ticket> lost = new ArrayList<>();
    private final Set<Lease> notAccepted = new HashSet<>();
    private final Deque<Receipt> receipts = new ArrayDeque<>();
    private final Set<Long> received = new HashSet<>();
    private final Map<Lease, Long> seenBefore = new HashMap<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private @Nullable Long latestForgotten;
    private long nextNumber;
    private long pause = FIRST_PAUSE;
    private long lookAtNanos;
    private volatile boolean suspicious;

    /** A claim that was sent. */
    record Ticket(long number, long sentNanos) {}

    /** @param nextNumber the number of the next claim when this one was received */
    private record Receipt(long atMicros, long nextNumber) {}

    /**
     * @param gaveBack called when tasks of lost claims wait again, with the time until they are due
     */
    LostClaims(
            LeaseRepository leases,
            ActiveLeases active,
            Duration heartbeatInterval,
            LongSupplier nanoTime,
            Consumer<Duration> gaveBack) {
        this.leases = leases;
        this.active = active;
        this.longestPause = Math.max(FIRST_PAUSE, heartbeatInterval.toNanos());
        this.nanoTime = nanoTime;
        this.gaveBack = gaveBack;
    }

    /** A claim is about to be sent. */
    synchronized Ticket begin() {
        Ticket ticket = new Ticket(nextNumber++, nanoTime.getAsLong());
        underWay.add(ticket);
        return ticket;
    }

    /** The claim's tasks are known to this worker; {@code atMicros} is null when it brought none. */
    synchronized void received(Ticket ticket, @Nullable Long atMicros) {
        underWay.remove(ticket);
        if (atMicros != null) {
            receipts.addLast(new Receipt(atMicros, nextNumber));
            received.add(atMicros);
        }
        forgetOldReceipts();
    }

    /** The claim ended without a reply, or with an error. */
    synchronized void failed(Ticket ticket, Throwable error) {
        underWay.remove(ticket);
        if (!DatabaseErrors.isRefusal(error)) {
            lost.add(ticket);
            suspicious = true;
            pause = FIRST_PAUSE;
            lookAtNanos = nanoTime.getAsLong();
        }
    }

    /** The reply arrived, but this worker could not accept these tasks: nothing runs them. */
    synchronized void notAccepted(Collection<Lease> leases) {
        notAccepted.addAll(leases);
        suspicious = true;
        pause = FIRST_PAUSE;
        lookAtNanos = nanoTime.getAsLong();
    }

    /** How long until {@link #lookIfDue} has something to do. */
    long nanosToLook() {
        if (!suspicious) {
            return Long.MAX_VALUE;
        }
        synchronized (this) {
            return Math.max(0, lookAtNanos - nanoTime.getAsLong());
        }
    }

    /** Without a lost claim this costs nothing. */
    void lookIfDue() {
        if (nanosToLook() == 0) {
            look();
        }
    }

    /** When nothing will be claimed any more: a lost claim may still be executing. */
    void lastLooks() {
        for (int i = 0; suspicious && i < LAST_LOOKS && look(); i++) {
            LockSupport.parkNanos(this, FIRST_PAUSE);
        }
    }

    /** One check at a time; false when the database gave no answer. */
    boolean look() {
        if (!isStillSuspicious() || !looking.compareAndSet(false, true)) {
            return true;
        }
        try {
            giveBackNotAccepted();
            if (hasLost()) {
                giveBackUnknown();
            }
            return true;
        } catch (DataAccessException e) {
            log.debug("Cannot look for the leases of a lost claim now; will retry", e);
            return false;
        } finally {
            looking.set(false);
        }
    }

    private void giveBackUnknown() {
        List<Lease> unknown = unknownOf(leases.heldSince(latestForgotten()));
        if (!unknown.isEmpty()) {
            int returned = leases.giveBack(unknown, Duration.ZERO).size();
            gaveBack.accept(Duration.ZERO);
            log.info(
                    "A claim whose reply was lost had taken {} tasks. No handler ran them: they are given back and no attempt is charged.",
                    returned);
        }
    }

    /** After a delay, because the same failure may happen again. */
    private void giveBackNotAccepted() {
        Set<Lease> returned;
        synchronized (this) {
            returned = Set.copyOf(notAccepted);
        }
        if (!returned.isEmpty()) {
            Set<Lease> busy =
                    leases.giveBackUnlocked(returned, NOT_ACCEPTED_PAUSE).busy();
            gaveBack.accept(NOT_ACCEPTED_PAUSE);
            log.warn("{} claimed tasks could not be accepted and are given back", returned.size() - busy.size());
            synchronized (this) {
                notAccepted.removeIf(lease -> returned.contains(lease) && !busy.contains(lease));
            }
        }
    }

    private synchronized boolean hasLost() {
        return !lost.isEmpty();
    }

    private synchronized boolean isStillSuspicious() {
        long now = nanoTime.getAsLong();
        lost.removeIf(ticket -> now - ticket.sentNanos() > SUSPICION);
        suspicious = !lost.isEmpty() || !notAccepted.isEmpty();
        if (!suspicious) {
            seenBefore.clear();
        }
        lookAtNanos = now + pause;
        pause = Math.min(longestPause, 2 * pause);
        return suspicious;
    }

    private synchronized @Nullable Long latestForgotten() {
        return latestForgotten;
    }

    /** The leases that no received claim has brought and no claim in flight can bring. */
    private synchronized List<Lease> unknownOf(List<HeldLease> held) {
        List<Lease> unknown = new ArrayList<>();
        Map<Lease, Long> waiting = new HashMap<>();
        for (HeldLease candidate : held) {
            Lease lease = candidate.lease();
            if (received.contains(candidate.atMicros()) || active.holds(lease)) {
                continue;
            }
            long claimedBefore = seenBefore.getOrDefault(lease, nextNumber);
            if (underWay.stream().allMatch(claim -> claim.number() >= claimedBefore)) {
                unknown.add(lease);
            } else {
                waiting.put(lease, claimedBefore);
            }
        }
        seenBefore.clear();
        seenBefore.putAll(waiting);
        if (!unknown.isEmpty() || !waiting.isEmpty()) {
            pause = FIRST_PAUSE;
            lookAtNanos = nanoTime.getAsLong() + pause;
        }
        return unknown;
    }

    /** Those that were received long before the oldest claim that may still turn up. */
    private void forgetOldReceipts() {
        long oldest = Stream.concat(underWay.stream(), lost.stream())
                .mapToLong(Ticket::number)
                .min()
                .orElse(nextNumber);
        while (receipts.size() > REMEMBERED && receipts.getFirst().nextNumber() <= oldest - REMEMBERED) {
            long forgotten = receipts.removeFirst().atMicros();
            latestForgotten = latestForgotten == null ? forgotten : Long.valueOf(Math.max(latestForgotten, forgotten));
            received.remove(forgotten);
        }
    }
}
