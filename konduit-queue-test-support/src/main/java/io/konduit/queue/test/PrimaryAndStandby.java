package io.konduit.queue.test;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A primary and a standby that streams from it, both real servers on this machine. The standby starts as a copy of the
 * primary's freshly initialised data directory, so no tool but the server's own binaries is needed.
 *
 * <p>Replication is asynchronous until {@link #waitForStandbyAtCommit}. A failover that loses commits is {@link
 * #detachStandby}, some commits, {@link #failOver}.
 */
public final class PrimaryAndStandby implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String DATABASE = "postgres";
    private static final String CREDENTIALS = "user=postgres&password=postgres";

    private final Path directory;
    private final EmbeddedPostgres primary;
    private final EmbeddedPostgres standby;

    /** Frozen processes, which must be woken before they are stopped. */
    private long frozen;

    private PrimaryAndStandby(Path directory) throws IOException {
        this.directory = directory;
        Path standbyData = directory.resolve("standby");
        this.primary = server(directory.resolve("primary"))
                .setDataDirectoryCustomizer(initialised -> copy(initialised.toPath(), standbyData))
                .start();
        try {
            String source = "host=127.0.0.1 port=" + primary.getPort() + " user=postgres application_name=standby";
            Files.createFile(standbyData.resolve("standby.signal"));
            Files.writeString(
                    standbyData.resolve("postgresql.auto.conf"),
                    "primary_conninfo = '" + source + "'\nwal_retrieve_retry_interval = '100ms'\n");
            this.standby = server(standbyData).setCleanDataDirectory(false).start();
        } catch (IOException | RuntimeException e) {
            primary.close();
            throw e;
        }
    }

    /** Starts both and waits until the standby streams. */
    public static PrimaryAndStandby start() {
        try {
            PrimaryAndStandby servers = new PrimaryAndStandby(Files.createTempDirectory("konduit-standby-"));
            servers.waitUntilCaughtUp();
            return servers;
        } catch (IOException e) {
            throw new UncheckedIOException("The primary and its standby did not start.", e);
        }
    }

    private static EmbeddedPostgres.Builder server(Path data) {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                // not less than initdb has recorded: a standby refuses to start with less than its primary had
                .setServerConfig("max_connections", "100")
                .setServerConfig("shared_buffers", "32MB")
                // what a commit waits for once there is a synchronous standby; the library's default is off
                .setServerConfig("synchronous_commit", "remote_apply")
                .setServerConfig("wal_level", "replica")
                .setServerConfig("hot_standby", "on")
                .setServerConfig("full_page_writes", "off")
                .setPGStartupWait(Duration.ofSeconds(60));
    }

    /** The address as an application has it: both servers, and the driver looks for the primary. */
    public String jdbcUrl() {
        return "jdbc:postgresql://localhost:" + primary.getPort() + ",localhost:" + standby.getPort() + "/" + DATABASE
                + "?targetServerType=primary&" + CREDENTIALS;
    }

    /** A pool on {@link #jdbcUrl}; the caller closes it. */
    public HikariDataSource newPool(int size) {
        HikariDataSource created = new HikariDataSource();
        created.setJdbcUrl(jdbcUrl());
        created.setMaximumPoolSize(size);
        created.setMinimumIdle(0);
        created.setConnectionTimeout(5_000);
        created.setInitializationFailTimeout(-1);
        return created;
    }

    /** From here on a commit returns when the standby has applied it. */
    public void waitForStandbyAtCommit() {
        onPrimary("alter system set synchronous_standby_names = 'standby'");
        onPrimary("select pg_reload_conf()");
        await("the standby counts as synchronous", () -> "sync"
                .equals(text(primary, "select coalesce((select sync_state from pg_stat_replication), '')")));
    }

    /** Waits until the standby has everything that the primary has committed. */
    public void waitUntilCaughtUp() {
        String caughtUp = "select count(*) from pg_stat_replication where replay_lsn >= pg_current_wal_flush_lsn()";
        await("the standby has caught up", () -> "1".equals(text(primary, caughtUp)));
    }

    /** Cuts the stream: the standby keeps its data and receives nothing more. */
    public void detachStandby() {
        run(standby, "alter system set primary_conninfo = ''", "select pg_reload_conf()");
        await("the standby receives no more", () -> "0"
                .equals(text(standby, "select count(*) from pg_stat_wal_receiver")));
        await("the primary sends no more", () -> "0".equals(text(primary, "select count(*) from pg_stat_replication")));
    }

    /** The standby's receiver answers nothing until {@link #thawStandby}; synchronous commits wait for it. */
    public void freezeStandby() {
        frozen = Long.parseLong(text(standby, "select pid from pg_stat_wal_receiver"));
        signal("STOP", frozen);
    }

    public void thawStandby() {
        if (frozen != 0) {
            signal("CONT", frozen);
            frozen = 0;
        }
    }

    /** The primary is gone at once, as after a crash of its machine; the standby takes over. */
    public void failOver() {
        killPrimary();
        promote();
    }

    /** Kills the primary at once. */
    public void killPrimary() {
        signal("QUIT", postmaster(directory.resolve("primary")));
        await("the primary is gone", () -> !answers(primary));
    }

    /** Promotes the standby; its timeline then grows by one. */
    public void promote() {
        if (!"t".equals(text(standby, "select pg_promote(true, 30)"))) {
            throw new IllegalStateException("The standby was not promoted.");
        }
    }

    /** Runs statements on the primary that was started as such. */
    public void onPrimary(String... statements) {
        run(primary, statements);
    }

    /** The first column of the first row, from the server that was started as standby. */
    public String askStandby(String query) {
        return text(standby, query);
    }

    @Override
    public void close() {
        thawStandby();
        Stream.of(standby, primary).forEach(server -> {
            try {
                server.close();
            } catch (IOException e) {
                // it is gone already
            }
        });
        delete(directory);
    }

    private static String url(EmbeddedPostgres server) {
        return "jdbc:postgresql://localhost:" + server.getPort() + "/" + DATABASE + "?connectTimeout=5&" + CREDENTIALS;
    }

    private static boolean answers(EmbeddedPostgres server) {
        try (Connection connection = DriverManager.getConnection(url(server))) {
            return connection.isValid(5);
        } catch (SQLException e) {
            return false;
        }
    }

    private static void run(EmbeddedPostgres server, String... statements) {
        try (Connection connection = DriverManager.getConnection(url(server));
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(List.of(statements) + ": " + e.getMessage(), e);
        }
    }

    private static String text(EmbeddedPostgres server, String query) {
        try (Connection connection = DriverManager.getConnection(url(server));
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() ? row.getString(1) : "";
        } catch (SQLException e) {
            throw new IllegalStateException(query + ": " + e.getMessage(), e);
        }
    }

    private static long postmaster(Path data) {
        try {
            return Long.parseLong(
                    Files.readAllLines(data.resolve("postmaster.pid")).get(0).trim());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void signal(String name, long process) {
        try {
            int code = new ProcessBuilder("kill", "-" + name, Long.toString(process))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IllegalStateException("kill -" + name + " " + process + " ended with " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a server was signalled.", e);
        }
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(String what, Condition condition) {
        long start = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new IllegalStateException("Waited " + PATIENCE + " in vain until " + what + ".");
            }
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    private static void copy(Path from, Path to) {
        try {
            Files.walkFileTree(from, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) throws IOException {
                    Path target = Files.createDirectories(to.resolve(from.relativize(each)));
                    Files.setPosixFilePermissions(target, Files.getPosixFilePermissions(each));
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path each, BasicFileAttributes attributes) throws IOException {
                    if (!each.getFileName().toString().startsWith("epg-lock")) {
                        Files.copy(each, to.resolve(from.relativize(each)));
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException("The primary could not be copied.", e);
        }
    }

    static void delete(Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException | UncheckedIOException e) {
            // a server removes its own files while it stops
        }
    }
}
