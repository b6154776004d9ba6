package io.konduit.queue.testing;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/**
 * The rows of every table of a test's database, in memory. Sequences are left out: what an application has read from them
 * in advance must stay unique.
 */
final class DatabaseSnapshot {
    private static final long MAX_BYTES = 64L << 20;

    /** Ordinary tables, except those that instances write at any time. */
    private static final String TABLES = """
            select quote_ident(n.nspname) || '.' || quote_ident(c.relname)
              from pg_class c
              join pg_namespace n on n.oid = c.relnamespace
             where c.relkind = 'r' and c.relpersistence <> 't'
               and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'
               and c.relname not in ('konduit_worker', 'konduit_chore', 'konduit_shedlock')
               and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
               and has_table_privilege(c.oid, 'select')
             order by 1""";

    private static final String REFERENCES = """
            select quote_ident(n.nspname) || '.' || quote_ident(c.relname),
                   quote_ident(rn.nspname) || '.' || quote_ident(rc.relname)
              from pg_constraint f
              join pg_class c on c.oid = f.conrelid
              join pg_namespace n on n.oid = c.relnamespace
              join pg_class rc on rc.oid = f.confrelid
              join pg_namespace rn on rn.oid = rc.relnamespace
             where f.contype = 'f' and f.conrelid <> f.confrelid""";

    private static final String TRIGGERS = """
            select quote_ident(n.nspname) || '.' || quote_ident(c.relname), quote_ident(t.tgname)
              from pg_trigger t
              join pg_class c on c.oid = t.tgrelid
              join pg_namespace n on n.oid = c.relnamespace
             where not t.tgisinternal and t.tgenabled = 'O'""";

    private final DataSource dataSource;
    private final Map<String, byte[]> rows;

    private DatabaseSnapshot(DataSource dataSource, Map<String, byte[]> rows) {
        this.dataSource = dataSource;
        this.rows = rows;
    }

    /** A pair of names. */
    private record Pair(String first, String second) {}

    static DatabaseSnapshot take(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            Map<String, byte[]> rows = new LinkedHashMap<>();
            long bytes = 0;
            for (Pair table : query(connection, TABLES)) {
                byte[] content = copyOut(connection, table.first());
                bytes += content.length;
                if (bytes > MAX_BYTES) {
                    throw new IllegalStateException(
                            "The database holds more than 64 MB, and a test of crashes keeps a copy of every table. Use a database with little data.");
                }
                rows.put(table.first(), content);
            }
            return new DatabaseSnapshot(dataSource, rows);
        } catch (SQLException | IOException e) {
            throw new IllegalStateException("The tables of the test's database could not be read.", e);
        }
    }

    /** Puts every table that has changed back as it was, in one transaction. */
    void restore() {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                restore(connection);
                connection.commit();
            } finally {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException | IOException e) {
            throw new IllegalStateException(
                    "The tables of the test's database could not be put back. The next run needs them as they were before the first.",
                    e);
        }
    }

    private void restore(Connection connection) throws SQLException, IOException {
        execute(connection, "set local lock_timeout = '10s'");
        List<Pair> references = query(connection, REFERENCES);
        Set<String> changed = new LinkedHashSet<>();
        for (Map.Entry<String, byte[]> table : rows.entrySet()) {
            if (!Arrays.equals(copyOut(connection, table.getKey()), table.getValue())) {
                changed.add(table.getKey());
            }
        }
        addReferencing(changed, references);
        List<String> ordered = referencedFirst(changed, references);
        List<Pair> triggers = query(connection, TRIGGERS).stream()
                .filter(trigger -> changed.contains(trigger.first()))
                .toList();
        for (Pair trigger : triggers) {
            execute(connection, "alter table " + trigger.first() + " disable trigger " + trigger.second());
        }
        for (int i = ordered.size() - 1; i >= 0; i--) {
            execute(connection, "delete from only " + ordered.get(i));
        }
        CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
        for (String table : ordered) {
            copies.copyIn("copy " + table + " from stdin", new ByteArrayInputStream(content(table)));
        }
        for (Pair trigger : triggers) {
            execute(connection, "alter table " + trigger.first() + " enable trigger " + trigger.second());
        }
    }

    private byte[] content(String table) {
        byte[] content = rows.get(table);
        if (content == null) {
            throw new IllegalStateException("The table " + table
                    + " was created while the test ran. Create tables before it, or drop them in reset(...).");
        }
        return content;
    }

    /** A row that others refer to cannot be removed without them. */
    private static void addReferencing(Set<String> changed, List<Pair> references) {
        boolean grown = true;
        while (grown) {
            grown = false;
            for (Pair reference : references) {
                if (changed.contains(reference.second()) && changed.add(reference.first())) {
                    grown = true;
                }
            }
        }
    }

    private static List<String> referencedFirst(Set<String> tables, List<Pair> references) {
        List<String> ordered = new ArrayList<>();
        while (ordered.size() < tables.size()) {
            int before = ordered.size();
            tables.stream()
                    .filter(table -> !ordered.contains(table))
                    .filter(table -> references.stream()
                            .noneMatch(reference -> reference.first().equals(table)
                                    && tables.contains(reference.second())
                                    && !ordered.contains(reference.second())))
                    .forEach(ordered::add);
            if (ordered.size() == before) {
                throw new IllegalStateException(
                        "The foreign keys of these tables form a circle, so they cannot be refilled: "
                                + tables.stream()
                                        .filter(table -> !ordered.contains(table))
                                        .toList() + ".");
            }
        }
        return ordered;
    }

    private static byte[] copyOut(Connection connection, String table) throws SQLException, IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        connection.unwrap(PGConnection.class).getCopyAPI().copyOut("copy " + table + " to stdout", content);
        return content.toByteArray();
    }

    private static List<Pair> query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            boolean two = rows.getMetaData().getColumnCount() > 1;
            List<Pair> pairs = new ArrayList<>();
            while (rows.next()) {
                pairs.add(new Pair(rows.getString(1), two ? rows.getString(2) : ""));
            }
            return pairs;
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
