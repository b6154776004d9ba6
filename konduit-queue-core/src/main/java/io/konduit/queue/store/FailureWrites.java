package io.konduit.queue.store;

import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.RowMapper;

/** T5 and T6: writes failed attempts in batches, with their errors. */
final class FailureWrites {
    private static final String FAILED = "FAILED";

    private final QueueDatabase database;
    private final LeaseBinding binding;
    private final OutcomeEvidence evidence;

    FailureWrites(QueueDatabase database, LeaseBinding binding, OutcomeEvidence evidence) {
        this.database = database;
        this.binding = binding;
        this.evidence = evidence;
    }

    /** Never waits for a row. Each is written alone when the evidence of one is locked. */
    Map<Lease, ReportedFailure> report(Collection<Failure> failures) {
        try {
            return reportAll(failures);
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

    private Map<Lease, ReportedFailure> reportAll(Collection<Failure> failures) {
        List<Lease> leases = failures.stream().map(Failure::lease).toList();
        List<Lease> recovered = OutcomeEvidence.recovered(leases);
        Map<Lease, ReportedFailure> results = recovered.isEmpty()
                ? write(failures, leases)
                : database.inControlTransaction(() -> {
                    Map<Lease, ReportedFailure> reported = write(failures, leases);
                    Set<Lease> ended = new HashSet<>();
                    reported.forEach((lease, failure) -> {
                        if (failure.isFinal()) {
                            ended.add(lease);
                        }
                    });
                    evidence.resolve(recovered, ended, FAILED);
                    return reported;
                });
        evidence.alreadyApplied(leases, results.keySet(), false)
                .forEach(lease -> results.put(lease, ReportedFailure.of(FailureResult.ALREADY_APPLIED)));
        leases.forEach(lease -> results.putIfAbsent(lease, ReportedFailure.of(FailureResult.LOST)));
        return results;
    }

    private Map<Lease, ReportedFailure> write(Collection<Failure> failures, List<Lease> leases) {
        RowMapper<Lease> leaseOf = LeaseBinding.rows(leases);
        Map<Lease, ReportedFailure> results = new HashMap<>();
        binding.many(database.control("fail"), leases)
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
                    Lease lease = leaseOf.mapRow(row, number);
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
}
