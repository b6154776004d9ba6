package io.konduit.queue.store;

import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.PGStatement;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Statements that look for rows on the application's connections. The driver would keep their plans after a few uses,
 * and a plan made while the table was empty reads all of it when it has grown: each is planned anew instead.
 */
final class FreshlyPlanned extends JdbcTemplate {
    private final boolean deadline;

    FreshlyPlanned(DataSource dataSource) {
        this(dataSource, true);
    }

    /**
     * @param deadline whether the time limit of the caller's transaction holds for the statements too
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
