package io.konduit.queue.store;

import io.konduit.queue.jdbc.SqlArrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;

/** Binds the leases of one worker to the parameters that fence a statement, and finds them in its rows. */
final class LeaseBinding {
    private final UUID worker;

    LeaseBinding(UUID worker) {
        this.worker = worker;
    }

    UUID worker() {
        return worker;
    }

    StatementSpec many(StatementSpec statement, Collection<Lease> leases) {
        return statement
                .param("ids", SqlArrays.bigints(leases, Lease::taskId))
                .param("epochs", SqlArrays.bigints(leases, Lease::epoch))
                .param("worker", worker);
    }

    StatementSpec one(StatementSpec statement, Lease lease) {
        return statement
                .param("id", lease.taskId())
                .param("epoch", lease.epoch())
                .param("worker", worker);
    }

    /** Whether a statement finds a row of this lease. */
    boolean holds(StatementSpec statement, Lease lease) {
        return one(statement, lease).query(Integer.class).optional().isPresent();
    }

    /** The lease of each row, by its id. */
    static RowMapper<Lease> rows(Collection<Lease> leases) {
        Map<Long, Lease> byId = new HashMap<>();
        leases.forEach(lease -> byId.put(lease.taskId(), lease));
        return (row, number) -> Objects.requireNonNull(byId.get(row.getLong("id")));
    }
}
