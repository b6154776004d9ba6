package io.konduit.queue.test;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A separate server on its own port, which a test stops and starts again with its data. */
public final class RestartablePostgres implements AutoCloseable {
    private final Path directory;
    private final int port;
    private @Nullable EmbeddedPostgres server;

    private RestartablePostgres(Path directory, int port) {
        this.directory = directory;
        this.port = port;
    }

    public static RestartablePostgres start() {
        try (ServerSocket free = new ServerSocket(0)) {
            int port = free.getLocalPort();
            free.close();
            RestartablePostgres started =
                    new RestartablePostgres(Files.createTempDirectory("konduit-restartable-"), port);
            started.restart();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("The server did not start.", e);
        }
    }

    public String jdbcUrl() {
        return "jdbc:postgresql://localhost:" + port + "/postgres?user=postgres&password=postgres";
    }

    /** Ends all sessions and the server. */
    public void stop() {
        EmbeddedPostgres running = server;
        server = null;
        if (running != null) {
            try {
                running.close();
            } catch (IOException e) {
                throw new UncheckedIOException("The server did not stop.", e);
            }
        }
    }

    /** Starts the server with the data it had. */
    public void restart() {
        try {
            server = EmbeddedPostgres.builder()
                    .setDataDirectory(directory.resolve("data"))
                    .setCleanDataDirectory(false)
                    .setPort(port)
                    .setServerConfig("fsync", "off")
                    .setPGStartupWait(Duration.ofSeconds(60))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("The server did not start.", e);
        }
    }

    @Override
    public void close() {
        stop();
        PrimaryAndStandby.delete(directory);
    }
}
