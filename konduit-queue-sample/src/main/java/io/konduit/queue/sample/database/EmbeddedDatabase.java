package io.konduit.queue.sample.database;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL whose data stays in a folder, so that tasks outlive the application.
 *
 * <p>The folder contains the server's {@code data}, its log, and a lock that the application holds while it runs. If
 * the application was killed, the server is still running: the next start reuses it.
 */
public final class EmbeddedDatabase implements AutoCloseable {
    static final String USER = "postgres";

    /** The major version of the binaries among the dependencies. */
    static final String VERSION = "18";

    private static final Logger log = LoggerFactory.getLogger(EmbeddedDatabase.class);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path folder;
    private final FileChannel lock;
    private final AutoCloseable server;
    private final int port;

    private EmbeddedDatabase(Path folder, FileChannel lock, AutoCloseable server, int port) {
        this.folder = folder;
        this.lock = lock;
        this.server = server;
        this.port = port;
    }

    static EmbeddedDatabase start(Path where) {
        Path folder = where.toAbsolutePath().normalize();
        Path data = folder.resolve("data");
        try {
            FileChannel lock = lock(Files.createDirectories(folder));
            try {
                requireVersion(data);
                Optional<PostmasterFile> survivor = survivor(data);
                if (survivor.isPresent()) {
                    int port = survivor.get().port();
                    log.info("The PostgreSQL of the last run is still there, on port {}", port);
                    return new EmbeddedDatabase(folder, lock, () -> stop(survivor.get()), port);
                }
                log.info("Starting PostgreSQL {} in {}", VERSION, folder);
                EmbeddedPostgres server = startServer(data, folder.resolve("postgres.log"));
                return new EmbeddedDatabase(folder, lock, server, server.getPort());
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
        } catch (IOException | IllegalStateException e) {
            throw unusable("PostgreSQL did not start in " + folder + ".", "Read postgres.log in that folder.", e);
        }
    }

    public String jdbcUrl() {
        return jdbcUrl(port);
    }

    public Path folder() {
        return folder;
    }

    @Override
    public void close() throws Exception {
        log.info("Stopping PostgreSQL; its data stays in {}", folder);
        server.close();
        lock.close();
    }

    private static EmbeddedPostgres startServer(Path data, Path logFile) throws IOException {
        Redirect toLogFile = Redirect.appendTo(logFile.toFile());
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                // the library is made for tests and trades durability for speed by default
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setLocaleConfig("locale", "C")
                .setOutputRedirector(toLogFile)
                .setErrorRedirector(toLogFile)
                .setPGStartupWait(PATIENCE)
                // Spring stops it, after everything that uses it
                .setRegisterShutdownHook(false)
                .start();
    }

    private static FileChannel lock(Path folder) throws IOException {
        FileChannel channel =
                FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            log.debug("Locked in this JVM", e);
        }
        channel.close();
        String share = PostmasterFile.in(folder.resolve("data"))
                .map(server -> " --spring.datasource.url=" + jdbcUrl(server.port()))
                .orElse("");
        throw new EmbeddedDatabaseException(
                "The sample is running already, with its data in " + folder + ".",
                "Stop it first, or start this one as a second worker, with --server.port=8081" + share,
                null);
    }

    private static void requireVersion(Path data) throws IOException {
        Path file = data.resolve("PG_VERSION");
        if (Files.exists(file) && !Files.readString(file).strip().equals(VERSION)) {
            throw unusable(
                    "The data in " + data + " was written by PostgreSQL "
                            + Files.readString(file).strip() + ", but the sample has PostgreSQL " + VERSION + ".",
                    "PostgreSQL cannot read the files of another major version.",
                    null);
        }
    }

    /**
     * The server that a killed application left running, once it answers. A file without a running server is deleted.
     */
    private static Optional<PostmasterFile> survivor(Path data) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < deadline) {
            Optional<PostmasterFile> file = PostmasterFile.in(data);
            if (file.isEmpty() || file.get().process().isEmpty()) {
                Files.deleteIfExists(data.resolve("postmaster.pid"));
                return Optional.empty();
            }
            try (Connection connection =
                    DriverManager.getConnection(jdbcUrl(file.get().port()))) {
                return file;
            } catch (SQLException e) {
                log.debug("The PostgreSQL of the last run is starting or stopping", e);
                pause();
            }
        }
        throw new IllegalStateException("A PostgreSQL runs in " + data + " but does not answer.");
    }

    /** Asks the server to stop and ends the sessions it would wait for. */
    private static void stop(PostmasterFile server)
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        Optional<ProcessHandle> process = server.process();
        if (process.isPresent()) {
            try (Connection last = DriverManager.getConnection(jdbcUrl(server.port()));
                    Statement others = last.createStatement()) {
                process.get().destroy();
                others.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                        + " where backend_type = 'client backend' and pid <> pg_backend_pid()");
            }
            process.get().onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(200);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for PostgreSQL.", e);
        }
    }

    private static String jdbcUrl(int port) {
        return "jdbc:postgresql://localhost:" + port + "/postgres?user=" + USER;
    }

    private static EmbeddedDatabaseException unusable(String description, String hint, @Nullable Throwable cause) {
        return new EmbeddedDatabaseException(
                description,
                hint
                        + " Delete the folder to start with an empty database, or set spring.datasource.url to use another one.",
                cause);
    }
}
