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
    FreshlyPlanned(DataSource dataSource) {
        super(dataSource);
    }

    @Override
    protected void applyStatementSettings(Statement statement) throws SQLException {
        super.applyStatementSettings(statement);
        if (statement.isWrapperFor(PGStatement.class)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        }
    }
}
