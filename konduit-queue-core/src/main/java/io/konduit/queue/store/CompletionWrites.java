package io.konduit.queue.store;

import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.jdbc.QueueDatabase;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;

/** T4: completes tasks, in batches or in the handler's own transaction. */
final class CompletionWrites {
    private static final String COMPLETED = "COMPLETED";
    /** How long a batch of completions waits for a row that is locked elsewhere. */
    private static final String LOCK_TIMEOUT = "250ms";

    private final QueueDatabase database;
    private final LeaseBinding binding;
    private final OutcomeEvidence evidence;

    CompletionWrites(QueueDatabase database, LeaseBinding binding, OutcomeEvidence evidence) {
        this.database = database;
        this.binding = binding;
        this.evidence = evidence;
    }

    /** Waits for rows that are locked elsewhere. */
    Set<Lease> complete(Collection<Lease> leases) {
        return completeInOrder(leases, null).applied();
    }

    /** A row that is locked elsewhere delays the others by at most 250 ms. */
    Written completeSoon(Collection<Lease> leases) {
        try {
            return completeInOrder(leases, LOCK_TIMEOUT);
        } catch (DataAccessException e) {
            if (DatabaseErrors.isLocked(e)) {
                return completeUnlocked(leases);
            }
            throw e;
        }
    }

    private Written completeInOrder(Collection<Lease> leases, @Nullable String lockTimeout) {
        return withEvidence(
                leases, () -> new Written(complete(database.control("complete"), leases, lockTimeout), Set.of()));
    }

    /** Completes the tasks whose rows are not locked elsewhere; never waits for a row. */
    Written completeUnlocked(Collection<Lease> leases) {
        List<Lease> recovered = OutcomeEvidence.recovered(leases);
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
            return withEvidence(
                    leases, () -> Written.by(binding.many(database.control("complete-unlocked"), leases), leases));
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

    private Written withEvidence(Collection<Lease> leases, Supplier<Written> statement) {
        List<Lease> recovered = OutcomeEvidence.recovered(leases);
        Written written = recovered.isEmpty()
                ? statement.get()
                : database.inControlTransaction(() -> {
                    Written completed = statement.get();
                    evidence.resolve(recovered, completed.applied(), COMPLETED);
                    return completed;
                });
        return evidence.withAlreadyApplied(leases, written, true);
    }

    /** In the caller's transaction (F4): false means that the lease is lost and the transaction must not commit. */
    boolean completeInTransaction(Lease lease) {
        Set<Lease> done = complete(database.fencing("complete"), List.of(lease), null);
        if (lease.zombieCount() > 0) {
            evidence.resolveInTransaction(List.of(lease), done, COMPLETED);
        }
        return !done.isEmpty();
    }

    /** Sorted by id: the statement finds the epoch of a row by the position of its id. */
    private Set<Lease> complete(StatementSpec statement, Collection<Lease> leases, @Nullable String lockTimeout) {
        List<Lease> ordered =
                leases.stream().sorted(Comparator.comparing(Lease::taskId)).toList();
        return new HashSet<>(binding.many(statement, ordered)
                .param("lockTimeout", lockTimeout)
                .query(LeaseBinding.rows(leases))
                .list());
    }
}
