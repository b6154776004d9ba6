package io.konduit.queue.jdbc;

import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.PGStatement;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Queries on the application's connections. The driver would cache their plans after a few uses, and a plan made while
 * the table was empty scans the whole table when it has grown. So each query is planned on each execution.
 */
final class FreshlyPlanned extends JdbcTemplate {
    private final boolean deadline;

    FreshlyPlanned(DataSource dataSource) {
        this(dataSource, true);
    }

    /**
     * @param deadline whether the time limit of the caller's transaction applies to the statements too
     */
    FreshlyPlanned(DataSource dataSource, boolean deadline) {
        super(dataSource);
        this.deadline = deadline;
    }

    @Override
    protected void applyStatementSettings(Statement statement) throws SQLException {
        if (deadline) {
            super.applyStatementSettings(statement);
        }
        if (statement.isWrapperFor(PGStatement.class)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        }
    }
}
