package io.konduit.queue.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/**
 * Detects whether a pooler that shares sessions keeps the prepared statements of its clients apart. The driver uses the
 * same names in every client, so the pooler has to rename them.
 */
final class PreparedStatementProbe {
    /** More than the driver's default threshold, for wrappers that hide the driver so that it cannot be lowered. */
    private static final int USES = 12;

    private static final String DRIVERS_NAME = "S_";
    private static final String PROTOCOL_VIOLATION = "08P01";
    private static final String STATEMENT = """
            select '%1$s', (select min(name) from pg_prepared_statements where statement like '%%/* probe %1$s */%%')
            /* probe %1$s */""";

    private PreparedStatementProbe() {}

    /** What went wrong, in a few words; null when nothing did. */
    static @Nullable String problem(Connection one, Connection another) throws SQLException {
        // a unique text, so that leftovers of an earlier start are not found
        String label = Long.toString(System.nanoTime());
        try (Probe first = new Probe(one, "first " + label);
                Probe second = new Probe(another, "second " + label)) {
            String name = first.nameInOneSession();
            return name != null && name.startsWith(DRIVERS_NAME)
                    ? "the server knows a prepared statement as " + name + ", a name that every client uses"
                    : mixedUp(first, second);
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (state.startsWith("08") && !state.equals(PROTOCOL_VIOLATION)) {
                throw e;
            }
            return "the server answered a prepared statement with '" + e.getMessage() + "'";
        }
    }

    private static @Nullable String mixedUp(Probe first, Probe second) throws SQLException {
        for (int use = 0; use < USES; use++) {
            if (!first.answersForItself() || !second.answersForItself()) {
                return "a prepared statement gave the answer of another";
            }
        }
        return null;
    }

    /** One client's statement, prepared as soon as the driver allows. */
    private static final class Probe implements AutoCloseable {
        private final Connection connection;
        private final String label;
        private final PreparedStatement statement;
        private @Nullable String name;

        Probe(Connection connection, String label) throws SQLException {
            this.connection = connection;
            this.label = label;
            this.statement = connection.prepareStatement(STATEMENT.formatted(label));
            if (statement.isWrapperFor(PGStatement.class)) {
                statement.unwrap(PGStatement.class).setPrepareThreshold(1);
            }
        }

        /** Its name in a session that is pinned by a transaction and does not keep it; null when it has none. */
        @Nullable
        String nameInOneSession() throws SQLException {
            // as plain text: the driver would prepare its own begin and commit
            try (Statement plain = connection.createStatement()) {
                plain.execute("begin");
                for (int use = 0; use < USES && name == null; use++) {
                    answersForItself();
                }
                if (name != null && name.startsWith(DRIVERS_NAME)) {
                    plain.execute("deallocate \"" + name.replace("\"", "\"\"") + "\"");
                }
                plain.execute("commit");
            }
            return name;
        }

        boolean answersForItself() throws SQLException {
            try (ResultSet row = statement.executeQuery()) {
                boolean own = row.next() && label.equals(row.getString(1));
                name = own ? row.getString(2) : name;
                return own;
            }
        }

        @Override
        public void close() throws SQLException {
            statement.close();
        }
    }
}
