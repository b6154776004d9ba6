package io.konduit.queue.schema;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sessions that hold what a migration waits for, as far as the data source's user can see them. */
final class LockHolders {
    /** Sessions that have held the lock for some time: ordinary short work is left out. */
    private static final String SESSIONS = """
            select l.pid, max(a.application_name) as application, max(a.usename::text) as role, max(a.state) as state,
                   max(a.backend_type) as kind,
                   max(extract(epoch from statement_timestamp() - a.xact_start)::bigint) as seconds
              from pg_locks l
              left join pg_stat_activity a on a.pid = l.pid
             where l.granted
               and l.pid is distinct from pg_backend_pid()
               and l.database = (select d.oid from pg_database d where d.datname = current_database())
               and (a.xact_start is null or a.xact_start < statement_timestamp() - interval '1 second')
               and (%s)
             group by l.pid
             order by min(a.xact_start) nulls last
             limit 3
            """;

    private static final String TABLES = SESSIONS.formatted("""
            l.relation in (select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
                            where c.relname like 'konduit\\_%' and n.nspname = coalesce(?::text, current_schema()))""");

    private static final String ADVISORY = SESSIONS.formatted(
            "l.locktype = 'advisory' and l.classid = ?::oid and l.objid = ?::oid and l.objsubid = 1");

    private LockHolders() {}

    /** The sessions that have been using a table of the queue in one transaction for some time. */
    static String ofTables(Connection connection, @Nullable String schema) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(TABLES)) {
            statement.setString(1, schema);
            return sessions(statement);
        }
    }

    /** The session that holds an advisory lock. */
    static String ofAdvisoryLock(Connection connection, long key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ADVISORY)) {
            statement.setLong(1, key >>> Integer.SIZE);
            statement.setLong(2, key & 0xffff_ffffL);
            return sessions(statement);
        }
    }

    private static String sessions(PreparedStatement statement) throws SQLException {
        List<String> sessions = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                sessions.add(session(row));
            }
        }
        return sessions.isEmpty() ? "a session that could not be found" : String.join(", ", sessions);
    }

    private static String session(ResultSet row) throws SQLException {
        String pid = row.getString("pid");
        if (pid == null) {
            return "a prepared transaction (see pg_prepared_xacts)";
        }
        List<String> details = new ArrayList<>();
        String application = row.getString("application");
        String kind = row.getString("kind");
        if (application != null && !application.isBlank()) {
            details.add("'" + application + "'");
        } else if (kind != null) {
            details.add(kind);
        }
        if (row.getString("role") != null) {
            details.add("user " + row.getString("role"));
        }
        if (row.getString("state") != null) {
            details.add(row.getString("state"));
        }
        if (row.getString("seconds") != null) {
            details.add("its transaction is open for " + row.getString("seconds") + " s");
        }
        return "session " + pid + (details.isEmpty() ? "" : " (" + String.join(", ", details) + ")");
    }
}
