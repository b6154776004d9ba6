package io.konduit.queue.schema;

import io.konduit.queue.SchemaMissingException;
import io.konduit.queue.SchemaVersionException;
import io.konduit.queue.settings.PropertyNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the catalog says about the queue's tables. Every user may read it, whatever rights are missing.
 *
 * @param objects tables, indexes, domains, and columns as {@code table.column}
 * @param locked the schema that contains the tables and that this user may not use; null when there is none
 */
record FoundSchema(
        String user,
        @Nullable String schema,
        Set<String> objects,
        @Nullable Locked locked) {
    static final String HISTORY_TABLE = "konduit_schema_history";
    private static final String HOT_TABLE = "konduit_task";
    private static final String NO_PRIVILEGE = "42501";

    private static final String OBJECTS = """
            select o.nspname, o.name, o.attname
              from (
                select n.nspname, c.relname as name, a.attname, pg_catalog.pg_table_is_visible(c.oid) as visible
                  from pg_catalog.pg_class c
                  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                  left join pg_catalog.pg_attribute a
                    on a.attrelid = c.oid and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
                 where c.relname like 'konduit\\_%' and pg_catalog.has_schema_privilege(n.oid, 'usage')
                 union all
                select n.nspname, d.typname, null, pg_catalog.pg_type_is_visible(d.oid)
                  from pg_catalog.pg_type d
                  join pg_catalog.pg_namespace n on n.oid = d.typnamespace
                 where d.typname like 'konduit\\_%' and d.typtype = 'd' and pg_catalog.has_schema_privilege(n.oid, 'usage')) o
             where case when ?::text is null then o.visible else o.nspname = ? end
            """;

    private static final String LOCKED = """
            select current_user, s.nspname,
                   'grant usage on schema ' || quote_ident(s.nspname) || ' to ' || quote_ident(current_user)
              from (select 1) as one
              left join (
                select n.nspname
                  from pg_catalog.pg_class c
                  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                 where c.relname = 'konduit_task' and not pg_catalog.has_schema_privilege(n.oid, 'usage')
                   and case when ?::text is null
                            then n.nspname = any (string_to_array(replace(translate(
                                   pg_catalog.current_setting('search_path'), '" ', ''), '$user', current_user::text), ','))
                            else n.nspname = ? end
                 order by n.nspname
                 limit 1) as s on true
            """;

    /** @param grant the statement that unlocks it */
    private record Locked(String schema, String grant) {}

    /** @param schema where the tables are; null for the search path */
    static FoundSchema read(Connection connection, @Nullable String schema) throws SQLException {
        Set<String> objects = new HashSet<>();
        String found = schema;
        try (PreparedStatement statement = statement(connection, OBJECTS, schema);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                String relation = row.getString(2);
                objects.add(relation);
                if (row.getString(3) != null) {
                    objects.add(relation + "." + row.getString(3));
                }
                found = row.getString(1);
            }
        }
        try (PreparedStatement statement = statement(connection, LOCKED, schema);
                ResultSet row = statement.executeQuery()) {
            row.next();
            String locked = row.getString(2);
            return new FoundSchema(
                    row.getString(1), found, objects, locked == null ? null : new Locked(locked, row.getString(3)));
        }
    }

    private static PreparedStatement statement(Connection connection, String sql, @Nullable String schema)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setString(1, schema);
        statement.setString(2, schema);
        return statement;
    }

    boolean hasTables() {
        return objects.contains(HOT_TABLE);
    }

    /** Whether the history has this script. A history that this user may not read is left to Flyway. */
    boolean hasRun(Connection connection, int version) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select exists (select from \"%s\".%s where success and version = ?)"
                        .formatted(schema, HISTORY_TABLE))) {
            statement.setString(1, Integer.toString(version));
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        } catch (SQLException e) {
            if (NO_PRIVILEGE.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    /** Tables that exist but cannot be accessed are not missing. */
    void requireUsable() {
        if (!hasTables() && locked != null) {
            throw new SchemaMissingException(
                    "The tables of the queue are in schema '%s', which the user '%s' of the data source may not use."
                            .formatted(locked.schema(), user),
                    "Run '%s' as the owner of the schema.".formatted(locked.grant()));
        }
    }

    /** The queue's own Flyway would start with the first script, on existing tables. */
    void requireHistory(SchemaScripts scripts) {
        if (hasTables() && !objects.contains(HISTORY_TABLE)) {
            requireComplete(scripts);
            String missing = scripts.isCurrent(objects) ? "" : missing(scripts) + ", then set";
            throw new SchemaVersionException(
                    "The tables of the queue in schema '%s' were created manually: there is no '%s'. They are at version %d; this release has version %d."
                            .formatted(schema, HISTORY_TABLE, scripts.versionOf(objects), scripts.newest()),
                    (missing.isEmpty() ? "Set" : missing) + " '" + PropertyNames.SCHEMA_INITIALIZE + "' to false.");
        }
    }

    /** The tables must have everything that this release's statements name. */
    void requireCurrent(SchemaScripts scripts) {
        if (hasTables() && !scripts.isCurrent(objects)) {
            requireComplete(scripts);
            throw new SchemaVersionException(
                    "The tables of the queue in schema '%s' are at version %d, but this release needs version %d."
                            .formatted(schema, scripts.versionOf(objects), scripts.newest()),
                    objects.contains(HISTORY_TABLE)
                            ? "Set '" + PropertyNames.SCHEMA_INITIALIZE
                                    + "' to true for one start, as a user who may change the tables."
                            : missing(scripts) + ".");
        }
    }

    /** Without all objects of the first script, the tables have no version. */
    private void requireComplete(SchemaScripts scripts) {
        List<String> missing = scripts.missingFromTheFirst(objects);
        if (scripts.versionOf(objects) == 0 && !missing.isEmpty()) {
            throw new SchemaVersionException(
                    "The tables of the queue in schema '%s' are incomplete. Missing: %s."
                            .formatted(schema, String.join(", ", missing)),
                    "Create what is missing as script V1 under " + SchemaScripts.FOLDER
                            + " in the konduit-queue-core jar does. If you need to keep no tasks, drop all objects whose names begin with konduit_, and run the script.");
        }
    }

    private String missing(SchemaScripts scripts) {
        int first = scripts.firstAfter(scripts.versionOf(objects));
        String which =
                first == scripts.newest() ? "script V" + first : "the scripts V" + first + " to V" + scripts.newest();
        return "Run " + which + " under " + SchemaScripts.FOLDER + " in the konduit-queue-core jar";
    }
}
