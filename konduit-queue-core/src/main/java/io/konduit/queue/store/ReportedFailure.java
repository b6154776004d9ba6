package io.konduit.queue.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The result of a reported failure, and its time.
 *
 * @param at by the database's clock; null unless this report was the one that was applied
 */
public record ReportedFailure(
        FailureResult result, @Nullable Instant at) {
    public static ReportedFailure of(FailureResult result) {
        return new ReportedFailure(result, null);
    }

    static ReportedFailure written(ResultSet row) throws SQLException {
        return new ReportedFailure(
                row.getBoolean("final") ? FailureResult.FINAL : FailureResult.RETRY,
                row.getTimestamp("at").toInstant());
    }

    boolean isFinal() {
        return result == FailureResult.FINAL;
    }
}
