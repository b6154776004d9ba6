package io.konduit.queue.store;

import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Everything a worker does with its leases. Each write names the lease it expects: task id, epoch and this worker. A
 * row with another owner does not match, so a late write changes nothing.
 */
public final class LeaseRepository {
    private static final Comparator<ClaimedTask> BEST_FIRST = Comparator.comparingInt(ClaimedTask::priority)
            .thenComparing(ClaimedTask::runAt)
            .thenComparingLong(ClaimedTask::id);

    /** How long a batch of completions waits for a row that is locked elsewhere. */
    private static final String LOCK_TIMEOUT = "250ms";
    /** The wait for locked evidence is even shorter: its task is written apart from the others. */
    private static final String EVIDENCE_LOCK_TIMEOUT = "20ms";

    private final QueueDatabase database;
    private final UUID worker;

    public LeaseRepository(QueueDatabase database, UUID worker) {
        this.database = database;
        this.worker = worker;
    }

    public UUID worker() {
        return worker;
    }

    /** T2: claims up to {@code request.limit()} due tasks with one statement; best first. */
    public List<ClaimedTask> claimDue(ClaimRequest request) {
        return claim(request).tasks();
    }

    /** T2, with what the worker needs beyond the tasks. */
    public Claim claim(ClaimRequest request) {
        List<ClaimRequest.Probe> probes = request.probes();
        Collection<ClaimRequest.Declared> handlers = request.handlers();
        List<ClaimedTask> claimed = new ArrayList<>();
        boolean[] moreFound = new boolean[1];
        Long[] atMicros = new Long[1];
        database.control("claim")
                .param("handlerTypes", SqlArrays.texts(handlers, ClaimRequest.Declared::type))
                .param("handlerLockTimeoutsMs", SqlArrays.bigints(handlers, handler -> millis(handler.lockTimeout())))
                .param("handlerMaxAttempts", SqlArrays.integers(handlers, ClaimRequest.Declared::maxAttempts))
                .param("handlerReapables", SqlArrays.booleans(handlers, ClaimRequest.Declared::reapable))
                .param("queues", SqlArrays.texts(probes, ClaimRequest.Probe::queue))
                .param("priorities", SqlArrays.integers(probes, ClaimRequest.Probe::priority))
                .param("lowerBounds", SqlArrays.texts(probes, ClaimRequest.Probe::lowerBound))
                .param("searchedMs", SqlArrays.bigints(probes, probe -> millis(probe.searched())))
                .param("types", SqlArrays.texts(request.types()))
                .param("stillRunning", SqlArrays.bigints(request.stillRunning(), id -> id))
                .param("budget", request.budget())
                .param("limit", request.limit())
                .param("worker", worker)
                .param("lockTimeoutMs", request.lockTimeout().toMillis())
                .param("maxAttempts", request.maxAttempts())
                .query(row -> {
                    Long at = atMicros[0];
                    if (at == null) {
                        // the same in every row
                        at = row.getLong("claimed_at_us");
                        atMicros[0] = at;
                        moreFound[0] = row.getBoolean("more_found");
                    }
                    claimed.add(claimedTask(row, at));
                });
        claimed.sort(BEST_FIRST);
        return new Claim(claimed, moreFound[0], atMicros[0]);
    }

    /**
     * Leases in this worker's name that began after another lease.
     *
     * @param afterMicros when that one began, as in {@link Claim#atMicros}; null for all
     */
    public List<HeldLease> heldSince(@Nullable Long afterMicros) {
        return database.control("find-held-by-worker")
                .param("worker", worker)
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
        Map<Long, Lease> byId = byId(leases);
        Map<Lease, ExtensionResult> results = new HashMap<>();
        fenced(database.control("extend"), leases)
                .param("lockTimeoutsMs", SqlArrays.bigints(lockTimeouts.values(), Duration::toMillis))
                .query((row, number) -> {
                    ExtensionResult result = row.getBoolean("extended")
                            ? ExtensionResult.EXTENDED
                            : row.getBoolean("mine") ? ExtensionResult.BUSY : ExtensionResult.LOST;
                    return results.put(byId.get(row.getLong("id")), result);
                })
                .list();
        return results;
    }

    /**
     * The result of writing the outcomes of several leases; those in neither set are lost.
     *
     * @param applied now, or by an earlier attempt whose reply was lost
     * @param busy the row is locked by another transaction: try again later
     */
    public record Written(Set<Lease> applied, Set<Lease> busy) {
        static final Written NOTHING = new Written(Set.of(), Set.of());

        Written and(Written other) {
            Set<Lease> allApplied = new HashSet<>(applied);
            allApplied.addAll(other.applied);
            Set<Lease> allBusy = new HashSet<>(busy);
            allBusy.addAll(other.busy);
            return new Written(allApplied, allBusy);
        }
    }

    /** T4 for many: returns the leases that are completed. Waits for rows that are locked elsewhere. */
    public Set<Lease> complete(Collection<Lease> leases) {
        return complete(leases, () -> new Written(complete(database.control("complete"), leases, null), Set.of()))
                .applied();
    }

    /** T4 for many. A row that is locked elsewhere delays the others by at most 250 ms. */
    public Written completeSoon(Collection<Lease> leases) {
        try {
            return complete(
                    leases, () -> new Written(complete(database.control("complete"), leases, LOCK_TIMEOUT), Set.of()));
        } catch (DataAccessException e) {
            if (DatabaseErrors.isLocked(e)) {
                return completeUnlocked(leases);
            }
            throw e;
        }
    }

    /** T4 for the leases whose rows are not locked elsewhere; never waits for a row. */
    public Written completeUnlocked(Collection<Lease> leases) {
        List<Lease> recovered =
                leases.stream().filter(lease -> lease.zombieCount() > 0).toList();
        if (recovered.isEmpty() || recovered.size() == leases.size()) {
            return completeAlike(leases);
        }
        List<Lease> others =
                leases.stream().filter(lease -> lease.zombieCount() == 0).toList();
        return completeAlike(others).and(completeAlike(recovered));
    }

    /** Leases of which all or none have incidents. Each is written alone when the evidence of one is locked. */
    private Written completeAlike(Collection<Lease> leases) {
        try {
            return complete(leases, () -> written(fenced(database.control("complete-unlocked"), leases), leases));
        } catch (DataAccessException e) {
            if (!DatabaseErrors.isLocked(e)) {
                throw e;
            }
            return leases.size() == 1
                    ? new Written(Set.of(), Set.copyOf(leases))
                    : leases.stream()
                            .map(lease -> completeAlike(List.of(lease)))
                            .reduce(Written.NOTHING, Written::and);
        }
    }

    private Written complete(Collection<Lease> leases, Supplier<Written> statement) {
        List<Lease> recovered =
                leases.stream().filter(lease -> lease.zombieCount() > 0).toList();
        Written written = recovered.isEmpty()
                ? statement.get()
                : database.inControlTransaction(() -> {
                    Written completed = statement.get();
                    resolveIncidents(
                            database.control("resolve-incidents").param("lockTimeout", EVIDENCE_LOCK_TIMEOUT),
                            recovered,
                            completed.applied(),
                            "COMPLETED");
                    return completed;
                });
        return withAlreadyApplied(leases, written, true);
    }

    /** T4 in the caller's transaction (F4): false means that the lease is lost and the transaction must not commit. */
    public boolean completeInTransaction(Lease lease) {
        Set<Lease> done = complete(database.fencing("complete"), List.of(lease), null);
        if (lease.zombieCount() > 0) {
            resolveIncidents(
                    database.fencing("resolve-incidents").param("lockTimeout", null),
                    List.of(lease),
                    done,
                    "COMPLETED");
        }
        return !done.isEmpty();
    }

    /** T5 and T6 for many. Never waits for a row. Each is written alone when the evidence of one is locked. */
    public Map<Lease, FailureResult> fail(Collection<Failure> failures) {
        Map<Lease, FailureResult> results = new HashMap<>();
        report(failures).forEach((lease, reported) -> results.put(lease, reported.result()));
        return results;
    }

    /** The same, with the database's time. */
    public Map<Lease, ReportedFailure> report(Collection<Failure> failures) {
        try {
            return failAll(failures);
        } catch (DataAccessException e) {
            if (!DatabaseErrors.isLocked(e)) {
                throw e;
            }
            Map<Lease, ReportedFailure> results = new HashMap<>();
            for (Failure failure : failures) {
                results.putAll(
                        failures.size() == 1
                                ? Map.of(failure.lease(), ReportedFailure.of(FailureResult.BUSY))
                                : report(List.of(failure)));
            }
            return results;
        }
    }

    private Map<Lease, ReportedFailure> failAll(Collection<Failure> failures) {
        List<Lease> leases = failures.stream().map(Failure::lease).toList();
        List<Lease> recovered =
                leases.stream().filter(lease -> lease.zombieCount() > 0).toList();
        Map<Lease, ReportedFailure> results = recovered.isEmpty()
                ? reportFailures(failures, leases)
                : database.inControlTransaction(() -> {
                    Map<Lease, ReportedFailure> reported = reportFailures(failures, leases);
                    Set<Lease> ended = new HashSet<>();
                    reported.forEach((lease, failure) -> {
                        if (failure.isFinal()) {
                            ended.add(lease);
                        }
                    });
                    resolveIncidents(
                            database.control("resolve-incidents").param("lockTimeout", EVIDENCE_LOCK_TIMEOUT),
                            recovered,
                            ended,
                            "FAILED");
                    return reported;
                });
        alreadyApplied(leases, results.keySet(), false)
                .forEach(lease -> results.put(lease, ReportedFailure.of(FailureResult.ALREADY_APPLIED)));
        leases.forEach(lease -> results.putIfAbsent(lease, ReportedFailure.of(FailureResult.LOST)));
        return results;
    }

    /** T9 for many, after {@code delay}: returns the leases that were given back, now or by an earlier attempt. */
    public Set<Lease> giveBack(Collection<Lease> leases, Duration delay) {
        return giveBackUnlocked(leases, delay).applied();
    }

    /** T9 for the leases whose rows are not locked elsewhere; never waits for a row. */
    public Written giveBackUnlocked(Collection<Lease> leases, Duration delay) {
        Written written = written(
                fenced(database.control("give-back"), leases)
                        .param("delaysMs", SqlArrays.bigints(leases, lease -> delay.toMillis())),
                leases);
        return withAlreadyApplied(leases, written, false);
    }

    /** T16, in the caller's transaction if there is one; false means that the lease is lost. */
    public boolean checkpoint(Lease lease, Duration lockTimeout, String state) {
        return database.joining(() -> one(database.application("checkpoint"), lease)
                        .param("state", state)
                        .param("lockTimeoutMs", lockTimeout.toMillis())
                        .update()
                == 1);
    }

    /** F3: locks the lease in the caller's transaction until it ends; false means that it is lost. */
    public boolean guardInTransaction(Lease lease) {
        return holds(database.fencing("guard"), lease);
    }

    /** The same without waiting; false also means that another transaction has locked it. */
    public boolean guardInTransactionUnlessLocked(Lease lease) {
        return holds(database.fencing("guard-unless-locked"), lease);
    }

    /**
     * F3 above READ COMMITTED: locks the row exclusively for the caller's transaction; false means that the lease is
     * lost.
     */
    public boolean lockInTransaction(Lease lease) {
        return holds(database.fencing("lock-own"), lease);
    }

    /** F3 for a transaction that holds the row exclusively: renews the lease; false means that it is lost. */
    public boolean extendInTransaction(Lease lease, Duration lockTimeout) {
        return one(database.fencing("extend-own"), lease)
                        .param("lockTimeoutMs", lockTimeout.toMillis())
                        .update()
                == 1;
    }

    /** Whether a lease was lost because its task was cancelled. */
    public boolean isCancelled(Lease lease) {
        return holds(database.control("is-cancelled"), lease);
    }

    /** The ids of the tasks whose leases this worker no longer holds. Read-only. */
    public Set<Long> findLost(Collection<Lease> leases) {
        return new HashSet<>(
                fenced(database.control("find-lost"), leases).query(Long.class).list());
    }

    /** Whether the lease is held now, as the caller's transaction sees it. */
    public boolean isHeld(Lease lease) {
        return holds(database.fencing("check-lease"), lease);
    }

    /** Sorted by id: the statement finds the epoch of a row by the position of its id. */
    private Set<Lease> complete(
            JdbcClient.StatementSpec statement, Collection<Lease> leases, @Nullable String lockTimeout) {
        List<Lease> ordered =
                leases.stream().sorted(Comparator.comparing(Lease::taskId)).toList();
        return new HashSet<>(fenced(statement, ordered)
                .param("lockTimeout", lockTimeout)
                .query(leaseOf(leases))
                .list());
    }

    /** Runs a statement that returns for each lease whether it was written, and whether the row is still ours. */
    private static Written written(JdbcClient.StatementSpec statement, Collection<Lease> leases) {
        Map<Long, Lease> byId = byId(leases);
        Set<Lease> applied = new HashSet<>();
        Set<Lease> busy = new HashSet<>();
        statement
                .query((row, number) -> {
                    Lease lease = Objects.requireNonNull(byId.get(row.getLong("id")));
                    if (row.getBoolean("written")) {
                        applied.add(lease);
                    } else if (row.getBoolean("mine")) {
                        busy.add(lease);
                    }
                    return lease;
                })
                .list();
        return new Written(applied, busy);
    }

    private Written withAlreadyApplied(Collection<Lease> leases, Written written, boolean completed) {
        if (written.applied().size() == leases.size()) {
            return written;
        }
        Set<Lease> known = new HashSet<>(written.applied());
        known.addAll(written.busy());
        Set<Lease> applied = new HashSet<>(written.applied());
        applied.addAll(alreadyApplied(leases, known, completed));
        return new Written(applied, written.busy());
    }

    private Map<Lease, ReportedFailure> reportFailures(Collection<Failure> failures, List<Lease> leases) {
        Map<Long, Lease> byId = byId(leases);
        Map<Lease, ReportedFailure> results = new HashMap<>();
        fenced(database.control("fail"), leases)
                .param("fatals", SqlArrays.booleans(failures, Failure::fatal))
                .param("backoffsMs", SqlArrays.bigints(failures, failure -> failure.backoff()
                        .toMillis()))
                .param("errors", SqlArrays.texts(failures, failure -> failure.error()
                        .summary()))
                .param("attempts", SqlArrays.integers(failures, failure -> failure.error()
                        .attempt()))
                .param("types", SqlArrays.texts(failures, failure -> failure.error()
                        .type()))
                .param("messages", SqlArrays.texts(failures, failure -> failure.error()
                        .message()))
                .param("stacks", SqlArrays.texts(failures, failure -> failure.error()
                        .stack()))
                .query((row, number) -> {
                    Lease lease = Objects.requireNonNull(byId.get(row.getLong("id")));
                    if (row.getBoolean("written")) {
                        results.put(lease, ReportedFailure.written(row));
                    } else if (row.getBoolean("mine")) {
                        results.put(lease, ReportedFailure.of(FailureResult.BUSY));
                    }
                    return lease;
                })
                .list();
        return results;
    }

    /** F6: which of the leases that matched nothing were ended earlier by this worker. */
    private Set<Lease> alreadyApplied(Collection<Lease> leases, Set<Lease> matched, boolean completed) {
        List<Lease> missing =
                leases.stream().filter(lease -> !matched.contains(lease)).toList();
        if (missing.isEmpty()) {
            return Set.of();
        }
        return new HashSet<>(fenced(database.control("already-applied"), missing)
                .param("zombieCounts", SqlArrays.integers(missing, Lease::zombieCount))
                .param("completed", SqlArrays.booleans(missing, lease -> completed))
                .query(leaseOf(missing))
                .list());
    }

    private static void resolveIncidents(
            JdbcClient.StatementSpec statement, List<Lease> recovered, Set<Lease> ended, String outcome) {
        List<Lease> resolved = recovered.stream().filter(ended::contains).toList();
        if (!resolved.isEmpty()) {
            statement
                    .param("ids", SqlArrays.bigints(resolved, Lease::taskId))
                    .param("outcome", outcome)
                    .update();
        }
    }

    private JdbcClient.StatementSpec fenced(JdbcClient.StatementSpec statement, Collection<Lease> leases) {
        return statement
                .param("ids", SqlArrays.bigints(leases, Lease::taskId))
                .param("epochs", SqlArrays.bigints(leases, Lease::epoch))
                .param("worker", worker);
    }

    private JdbcClient.StatementSpec one(JdbcClient.StatementSpec statement, Lease lease) {
        return statement
                .param("id", lease.taskId())
                .param("epoch", lease.epoch())
                .param("worker", worker);
    }

    private boolean holds(JdbcClient.StatementSpec statement, Lease lease) {
        return one(statement, lease).query(Integer.class).optional().isPresent();
    }

    private static RowMapper<Lease> leaseOf(Collection<Lease> leases) {
        Map<Long, Lease> byId = byId(leases);
        return (row, number) -> Objects.requireNonNull(byId.get(row.getLong("id")));
    }

    private static Map<Long, Lease> byId(Collection<Lease> leases) {
        Map<Long, Lease> byId = new HashMap<>();
        leases.forEach(lease -> byId.put(lease.taskId(), lease));
        return byId;
    }

    /** Attempts exclude those that were given back: they are neither tried nor charged. */
    private static ClaimedTask claimedTask(ResultSet row, long claimedMicros) throws SQLException {
        OffsetDateTime runAt = row.getObject("run_at", OffsetDateTime.class);
        int uncharged = row.getInt("uncharged");
        long timeout = row.getLong("timeout_ms");
        Duration limit = row.wasNull() ? null : Duration.ofMillis(timeout);
        return new ClaimedTask(
                new Lease(row.getLong("id"), row.getLong("lease_epoch"), row.getInt("zombie_count")),
                row.getString("queue"),
                row.getString("type"),
                row.getString("payload"),
                row.getInt("priority"),
                runAt,
                row.getInt("attempts") - uncharged,
                row.getInt("max_attempts") - uncharged,
                row.getBoolean("reapable"),
                Duration.ofMillis(row.getLong("lock_timeout_ms")),
                limit,
                row.getString("checkpoint"),
                row.getString("trace_context"),
                row.getObject("created_at", OffsetDateTime.class),
                Duration.of(claimedMicros - micros(runAt), ChronoUnit.MICROS));
    }

    /** Microseconds since 1970. */
    private static long micros(OffsetDateTime time) {
        return time.toEpochSecond() * 1_000_000 + time.getNano() / 1_000;
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }
}
