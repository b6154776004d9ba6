package io.konduit.queue.store;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;

/**
 * The result of writing the outcomes of several leases; those in neither set are lost.
 *
 * @param applied now, or by an earlier attempt whose reply was lost
 * @param busy the row is locked by another transaction: try again later
 */
public record Written(Set<Lease> applied, Set<Lease> busy) {
    static final Written NOTHING = new Written(Set.of(), Set.of());

    /** Runs a statement that returns for each lease whether it was written, and whether the row is still ours. */
    static Written by(StatementSpec statement, Collection<Lease> leases) {
        RowMapper<Lease> leaseOf = LeaseBinding.rows(leases);
        Set<Lease> applied = new HashSet<>();
        Set<Lease> busy = new HashSet<>();
        statement
                .query((row, number) -> {
                    Lease lease = leaseOf.mapRow(row, number);
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

    Written and(Written other) {
        return new Written(union(applied, other.applied), union(busy, other.busy));
    }

    /** The leases that are not lost. */
    Set<Lease> known() {
        return union(applied, busy);
    }

    private static Set<Lease> union(Set<Lease> one, Set<Lease> other) {
        Set<Lease> all = new HashSet<>(one);
        all.addAll(other);
        return all;
    }
}
