package bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** A private PostgreSQL that keeps what it has confirmed, for the time of one run. */
final class Server implements AutoCloseable {
    private static final String[] REPORTED = {
        "server_version",
        "fsync",
        "synchronous_commit",
        "full_page_writes",
        "wal_sync_method",
        "shared_buffers",
        "max_connections",
        "max_wal_size",
        "autovacuum"
    };

    private final EmbeddedPostgres postgres;

    Server(Path directory) throws IOException {
        postgres = EmbeddedPostgres.builder()
                .setDataDirectory(directory)
                .setCleanDataDirectory(true)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("shared_buffers", "512MB")
                .setServerConfig("max_connections", Sizes.QUICK ? "500" : "200")
                .setServerConfig("max_wal_size", "4GB")
                .setServerConfig("shared_preload_libraries", "pg_stat_statements")
                .setServerConfig("pg_stat_statements.track", "none") // on per session, by the idle workload only
                .setPGStartupWait(Duration.ofSeconds(60))
                .start();
    }

    String address() {
        return "127.0.0.1:" + postgres.getPort();
    }

    Map<String, Object> settings() throws Exception {
        Map<String, Object> settings = new LinkedHashMap<>();
        try (Connection c =
                        DriverManager.getConnection("jdbc:postgresql://" + address() + "/postgres", "postgres", "");
                Statement s = c.createStatement()) {
            for (String name : REPORTED) {
                try (ResultSet row = s.executeQuery("show " + name)) {
                    row.next();
                    settings.put(name, row.getString(1));
                }
            }
        }
        return settings;
    }

    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
