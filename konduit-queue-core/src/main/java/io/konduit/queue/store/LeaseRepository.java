package io.konduit.queue.store;

import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.RowMapper;

/**
 * Everything a worker does with its leases. Each write names the lease it expects: task id, epoch and this worker. A
 * row with another owner does not match, so a late write changes nothing.
 */
public final class LeaseRepository {
    private final QueueDatabase database;
    private final LeaseBinding binding;
    private final OutcomeEvidence evidence;
    private final TaskClaims claims;
    private final CompletionWrites completions;
    private final FailureWrites failures;

    public LeaseRepository(QueueDatabase database, UUID worker) {
        this.database = database;
        this.binding = new LeaseBinding(worker);
        this.evidence = new OutcomeEvidence(database, binding);
        this.claims = new TaskClaims(database, worker);
        this.completions = new CompletionWrites(database, binding, evidence);
        this.failures = new FailureWrites(database, binding, evidence);
    }

    public UUID worker() {
        return binding.worker();
    }

    /** T2: claims up to {@code request.limit()} due tasks with one statement; best first. */
    public List<ClaimedTask> claimDue(ClaimRequest request) {
        return claim(request).tasks();
    }

    /** T2, with what the worker needs beyond the tasks. */
    public Claim claim(ClaimRequest request) {
        return claims.claim(request);
    }

    /**
     * When the next task of these queues is due, which are not paused.
     *
     * @param since how long ago the last claim was sent
     */
    public NextDue nextDue(Collection<String> queues, Duration since) {
        return claims.nextDue(queues, since);
    }

    /**
     * Leases in this worker's name that began after another lease.
     *
     * @param afterMicros when that one began, as in {@link Claim#atMicros}; null for all
     */
    public List<HeldLease> heldSince(@Nullable Long afterMicros) {
        return database.control("find-held-by-worker")
                .param("worker", binding.worker())
                .param("afterUs", afterMicros)
                .query((row, number) -> new HeldLease(
                        new Lease(row.getLong("id"), row.getLong("lease_epoch"), row.getInt("zombie_count")),
                        row.getLong("claimed_at_us")))
                .list();
    }

    /** S10: due tasks of none of these types, among the first {@code limit} of each queue and priority. */
    public List<Unhandled> findUnhandled(Collection<String> queues, Collection<String> types, int limit) {
        return database.control("find-unhandled")
                .param("queues", SqlArrays.texts(queues))
                .param("types", SqlArrays.texts(types))
                .param("limit", limit)
                .query((row, number) -> new Unhandled(row.getLong("id"), row.getString("type")))
                .list();
    }

    /** A task without a handler. */
    public record Unhandled(long id, String type) {}

    /** T3: extends these leases by their own lock timeouts, and returns the result for each. Never waits. */
    public Map<Lease, ExtensionResult> extend(Map<Lease, Duration> lockTimeouts) {
        Set<Lease> leases = lockTimeouts.keySet();
        RowMapper<Lease> leaseOf = LeaseBinding.rows(leases);
        Map<Lease, ExtensionResult> results = new HashMap<>();
        binding.many(database.control("extend"), leases)
                .param("lockTimeoutsMs", SqlArrays.bigints(lockTimeouts.values(), Duration::toMillis))
                .query((row, number) -> {
                    ExtensionResult result = row.getBoolean("extended")
                            ? ExtensionResult.EXTENDED
                            : row.getBoolean("mine") ? ExtensionResult.BUSY : ExtensionResult.LOST;
                    return results.put(leaseOf.mapRow(row, number), result);
                })
                .list();
        return results;
    }

    /** T4 for many: returns the leases that are completed. Waits for rows that are locked elsewhere. */
    public Set<Lease> complete(Collection<Lease> leases) {
        return completions.complete(leases);
    }

    /** T4 for many. A row that is locked elsewhere delays the others by at most 250 ms. */
    public Written completeSoon(Collection<Lease> leases) {
        return completions.completeSoon(leases);
    }

    /** T4 for the leases whose rows are not locked elsewhere; never waits for a row. */
    public Written completeUnlocked(Collection<Lease> leases) {
        return completions.completeUnlocked(leases);
    }

    /** T4 in the caller's transaction (F4): false means that the lease is lost and the transaction must not commit. */
    public boolean completeInTransaction(Lease lease) {
        return completions.completeInTransaction(lease);
    }

    /** T5 and T6 for many. Never waits for a row. Each is written alone when the evidence of one is locked. */
    public Map<Lease, FailureResult> fail(Collection<Failure> failed) {
        Map<Lease, FailureResult> results = new HashMap<>();
        report(failed).forEach((lease, reported) -> results.put(lease, reported.result()));
        return results;
    }

    /** The same, with the database's time. */
    public Map<Lease, ReportedFailure> report(Collection<Failure> failed) {
        return failures.report(failed);
    }

    /** T9 for many, after {@code delay}: returns the leases that were given back, now or by an earlier attempt. */
    public Set<Lease> giveBack(Collection<Lease> leases, Duration delay) {
        return giveBackUnlocked(leases, delay).applied();
    }

    /** T9 for the leases whose rows are not locked elsewhere; never waits for a row. */
    public Written giveBackUnlocked(Collection<Lease> leases, Duration delay) {
        Written written = Written.by(
                binding.many(database.control("give-back"), leases)
                        .param("delaysMs", SqlArrays.bigints(leases, lease -> delay.toMillis())),
                leases);
        return evidence.withAlreadyApplied(leases, written, false);
    }

    /** T19 for many, each with its own delay, unless its row is locked elsewhere; never waits for a row. */
    public Written snoozeUnlocked(Map<Lease, Duration> delays) {
        Set<Lease> leases = delays.keySet();
        Written written = Written.by(
                binding.many(database.control("snooze"), leases)
                        .param("delaysMs", SqlArrays.bigints(delays.values(), Duration::toMillis)),
                leases);
        return evidence.withAlreadyApplied(leases, written, false);
    }

    /** T16, in the caller's transaction if there is one; false means that the lease is lost. */
    public boolean checkpoint(Lease lease, Duration lockTimeout, String state) {
        return database.joining(() -> binding.one(database.application("checkpoint"), lease)
                        .param("state", state)
                        .param("lockTimeoutMs", lockTimeout.toMillis())
                        .update()
                == 1);
    }

    /** F3: locks the lease in the caller's transaction until it ends; false means that it is lost. */
    public boolean guardInTransaction(Lease lease) {
        return binding.holds(database.fencing("guard"), lease);
    }

    /** The same without waiting; false also means that another transaction has locked it. */
    public boolean guardInTransactionUnlessLocked(Lease lease) {
        return binding.holds(database.fencing("guard-unless-locked"), lease);
    }

    /**
     * F3 above READ COMMITTED: locks the row exclusively for the caller's transaction; false means that the lease is
     * lost.
     */
    public boolean lockInTransaction(Lease lease) {
        return binding.holds(database.fencing("lock-own"), lease);
    }

    /** F3 for a transaction that holds the row exclusively: renews the lease; false means that it is lost. */
    public boolean extendInTransaction(Lease lease, Duration lockTimeout) {
        return binding.one(database.fencing("extend-own"), lease)
                        .param("lockTimeoutMs", lockTimeout.toMillis())
                        .update()
                == 1;
    }

    /** Whether a lease was lost because its task was cancelled. */
    public boolean isCancelled(Lease lease) {
        return binding.holds(database.control("is-cancelled"), lease);
    }

    /** The ids of the tasks whose leases this worker no longer holds. Read-only. */
    public Set<Long> findLost(Collection<Lease> leases) {
        return new HashSet<>(binding.many(database.control("find-lost"), leases)
                .query(Long.class)
                .list());
    }

    /** Whether the lease is held now, as the caller's transaction sees it. */
    public boolean isHeld(Lease lease) {
        return binding.holds(database.fencing("check-lease"), lease);
    }
}
