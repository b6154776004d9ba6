package io.konduit.queue.schema;

import io.konduit.queue.DatabaseUnreachableException;
import io.konduit.queue.UnsupportedDatabaseException;
import io.konduit.queue.settings.PropertyNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Refuses at start-up a server that speaks PostgreSQL's protocol but cannot hold the queue. */
public final class ServerCheck {
    private static final int OLDEST_SERVER = 14;
    private static final int LONGEST_VERSION = 80;
    private static final Set<String> EMBEDDED = Set.of("H2", "HSQL Database Engine", "Apache Derby");
    private static final String NO_EMBEDDED =
            "Set 'spring.datasource.url' to a PostgreSQL database: Spring Boot takes an embedded one where no address is"
                    + " set. A test slice keeps the address with @AutoConfigureTestDatabase(replace = NONE).";

    /** What servers that speak PostgreSQL's protocol but are not PostgreSQL report in {@code version()}. */
    private static final List<String> LOOKALIKES = List.of(
            "cockroachdb",
            "-yb-",
            "yugabyte",
            "redshift",
            "greenplum",
            "cloudberry",
            "materialize",
            "risingwave",
            "questdb",
            "cratedb");

    /** Looks up the table by name: to_regclass fails without the right to use the schema. */
    private static final String STATE = """
            select pg_is_in_recovery() as standby,
                   current_setting('transaction_read_only') = 'on' as read_only,
                   c.relkind,
                   exists (select from pg_inherits i where i.inhparent = c.oid) as has_children,
                   to_regclass('pg_dist_partition') is not null as citus
              from (select 1) as one
              left join (
                select k.oid, k.relkind
                  from pg_class k
                  join pg_namespace n on n.oid = k.relnamespace
                 where k.relname = 'konduit_task'
                   and case when ?::text is null then pg_table_is_visible(k.oid) else n.nspname = ? end
                 limit 1) as c on true
            """;

    /** The partition method and replication model of the hot table where Citus manages it. */
    private static final String CITUS = """
            select partmethod, repmodel
              from pg_dist_partition
             where logicalrelid = to_regclass(coalesce(quote_ident(?::text) || '.', '') || 'konduit_task')
            """;

    private final DataSource dataSource;
    private final @Nullable String schema;

    private ServerCheck(DataSource dataSource, @Nullable String schema) {
        this.dataSource = dataSource;
        this.schema = schema;
    }

    /**
     * @param schema where the tables are or will be; null for the first schema of the search path
     * @throws UnsupportedDatabaseException with what was found and what to do
     * @throws DatabaseUnreachableException if the database does not answer
     */
    public static void check(DataSource dataSource, @Nullable String schema) {
        new ServerCheck(dataSource, schema).check();
    }

    private void check() {
        try (Connection connection = dataSource.getConnection()) {
            requirePostgres(connection);
            requireRealPostgres(connection);
            requireWritable(connection);
        } catch (SQLException e) {
            throw new DatabaseUnreachableException(e);
        } catch (RuntimeException e) {
            // a HikariCP pool that has never connected throws an exception that wraps the cause
            throw e.getCause() instanceof SQLException ? new DatabaseUnreachableException(e.getCause()) : e;
        }
    }

    private static void requirePostgres(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        int version = connection.getMetaData().getDatabaseMajorVersion();
        if (!"PostgreSQL".equals(product)) {
            throw new UnsupportedDatabaseException(
                    "The queue needs PostgreSQL " + OLDEST_SERVER + " or later, but the data source is " + product + " "
                            + version + ".",
                    EMBEDDED.contains(product) ? NO_EMBEDDED : null);
        }
        if (version < OLDEST_SERVER) {
            throw new UnsupportedDatabaseException("The queue needs PostgreSQL " + OLDEST_SERVER
                    + " or later, but the server is version " + version + ".");
        }
    }

    private static void requireRealPostgres(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select version()")) {
            row.next();
            String version = row.getString(1);
            String lower = version.toLowerCase(Locale.ROOT);
            if (!lower.startsWith("postgresql") || LOOKALIKES.stream().anyMatch(lower::contains)) {
                throw new UnsupportedDatabaseException("The queue needs PostgreSQL " + OLDEST_SERVER
                        + " or later, but the server only answers as PostgreSQL does. Its version() is '"
                        + version.substring(0, Math.min(LONGEST_VERSION, version.length())) + "'.");
            }
        }
    }

    private void requireWritable(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(STATE)) {
            statement.setString(1, schema);
            statement.setString(2, schema);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                if (row.getBoolean("standby")) {
                    throw new UnsupportedDatabaseException(
                            "The server is a standby: it can be read but not written.",
                            "Point 'spring.datasource.url' to the primary. If the address has several hosts, add targetServerType=primary.");
                }
                if (row.getBoolean("read_only") || connection.isReadOnly()) {
                    throw new UnsupportedDatabaseException(
                            "Transactions on the queue's data source are read-only.",
                            "Find out where this is set: 'show default_transaction_read_only' on the server, 'alter database' and"
                                    + " 'alter role' settings (\\drds in psql), or the pool's own setting"
                                    + " ('spring.datasource.hikari.read-only'). If the application has another data source that can write, put @KonduitQueueDataSource on it.");
                }
                requirePlainTable(row.getString("relkind"), row.getBoolean("has_children"));
                if (row.getBoolean("citus")) {
                    requireOneShard(connection);
                }
            }
        }
    }

    /** A claim identifies rows by ctid, which is unique only within one table. */
    private static void requirePlainTable(@Nullable String kind, boolean hasChildren) {
        if (kind == null || (kind.equals("r") && !hasChildren)) {
            return;
        }
        String found =
                switch (kind) {
                    case "p" -> "a partitioned table";
                    case "f" -> "a foreign table";
                    case "v", "m" -> "a view";
                    default -> hasChildren ? "a table that others inherit from" : "no table";
                };
        throw notPlain(found);
    }

    private void requireOneShard(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(CITUS)) {
            statement.setString(1, schema);
            try (ResultSet row = statement.executeQuery()) {
                // 'n' without replicas on all nodes ('t') is one shard, as in a schema that is distributed as a whole
                if (row.next() && !("n".equals(row.getString(1)) && !"t".equals(row.getString(2)))) {
                    throw notPlain("distributed over the nodes of a Citus cluster");
                }
            }
        }
    }

    private static UnsupportedDatabaseException notPlain(String found) {
        return new UnsupportedDatabaseException(
                "The queue needs 'konduit_task' to be one plain table, but it is " + found + ".",
                "Move its rows into a plain table of that name with the same columns and indexes (the scripts are under"
                        + " io/konduit/queue/db in the konduit-queue-core jar), or set '" + PropertyNames.SCHEMA_NAME
                        + "' to another schema and let the queue create the tables there.");
    }
}
