package io.konduit.queue.store;

import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;

/** What outcomes leave behind besides the row: the proof that they were written, and the end of a recovered task's incidents. */
final class OutcomeEvidence {
    /** The wait for locked evidence is shorter than that for a row: its task is written apart from the others. */
    private static final String LOCK_TIMEOUT = "20ms";

    private final QueueDatabase database;
    private final LeaseBinding binding;

    OutcomeEvidence(QueueDatabase database, LeaseBinding binding) {
        this.database = database;
        this.binding = binding;
    }

    /** The leases whose tasks have incidents. */
    static List<Lease> recovered(Collection<Lease> leases) {
        return leases.stream().filter(lease -> lease.zombieCount() > 0).toList();
    }

    /** Resolves the incidents of those recovered tasks that have ended. */
    void resolve(List<Lease> recovered, Set<Lease> ended, String outcome) {
        resolve(database.control("resolve-incidents").param("lockTimeout", LOCK_TIMEOUT), recovered, ended, outcome);
    }

    /** The same in the caller's transaction, waiting for locks. */
    void resolveInTransaction(List<Lease> recovered, Set<Lease> ended, String outcome) {
        resolve(database.fencing("resolve-incidents").param("lockTimeout", null), recovered, ended, outcome);
    }

    private static void resolve(StatementSpec statement, List<Lease> recovered, Set<Lease> ended, String outcome) {
        List<Lease> resolved = recovered.stream().filter(ended::contains).toList();
        if (!resolved.isEmpty()) {
            statement
                    .param("ids", SqlArrays.bigints(resolved, Lease::taskId))
                    .param("outcome", outcome)
                    .update();
        }
    }

    /** F6: which of the leases that matched nothing were ended earlier by this worker. */
    Set<Lease> alreadyApplied(Collection<Lease> leases, Set<Lease> matched, boolean completed) {
        List<Lease> missing =
                leases.stream().filter(lease -> !matched.contains(lease)).toList();
        if (missing.isEmpty()) {
            return Set.of();
        }
        return new HashSet<>(binding.many(database.control("already-applied"), missing)
                .param("zombieCounts", SqlArrays.integers(missing, Lease::zombieCount))
                .param("completed", SqlArrays.booleans(missing, lease -> completed))
                .query(LeaseBinding.rows(missing))
                .list());
    }

    /** Adds what was written by an earlier attempt whose reply was lost. */
    Written withAlreadyApplied(Collection<Lease> leases, Written written, boolean completed) {
        return written.applied().size() == leases.size()
                ? written
                : written.and(new Written(alreadyApplied(leases, written.known(), completed), Set.of()));
    }
}
