package bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Connections to the private server; every system has a database of its own. */
public final class Db {
    private static final String HOST = System.getProperty("pg", "127.0.0.1:54329");

    private final String url;

    public Db(String name) throws SQLException {
        try (Connection c = connect("jdbc:postgresql://" + HOST + "/postgres")) {
            if (number(c, "select count(*) from pg_database where datname = '" + name + "'") == 0) {
                run(c, "create database \"" + name + '"');
            }
        }
        url = "jdbc:postgresql://" + HOST + "/" + name;
    }

    /** What a finished run leaves behind must not slow down the next one. */
    static void drop(String host, String name) throws SQLException {
        try (Connection c = connect("jdbc:postgresql://" + host + "/postgres")) {
            run(c, "drop database if exists \"" + name + "\" with (force)");
        }
    }

    public Connection connect() throws SQLException {
        return connect(url);
    }

    /** A pool as an application would have it; reWriteBatchedInserts helps every peer's bulk insert. */
    public HikariDataSource pool(int size, boolean trackStatements) {
        var cfg = new HikariConfig();
        cfg.setJdbcUrl(url + "?reWriteBatchedInserts=true"
                + (trackStatements ? "&options=-c%20pg_stat_statements.track=all" : ""));
        cfg.setUsername("postgres");
        cfg.setMaximumPoolSize(size);
        return new HikariDataSource(cfg);
    }

    private static Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(url, "postgres", "");
    }

    public static void run(Connection c, String... sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            for (String q : sql) s.execute(q);
        }
    }

    public static long number(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement();
                ResultSet r = s.executeQuery(sql)) {
            r.next();
            return r.getLong(1);
        }
    }
}
