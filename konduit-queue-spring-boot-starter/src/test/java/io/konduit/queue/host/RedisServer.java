package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A real Redis as a child process on a port of its own: can be killed, started again, frozen and thawed. */
final class RedisServer implements AutoCloseable {
    private static final String PROGRAM = "redis-server";
    /** Set where the tests must not be skipped: in CI. */
    private static final String REQUIRED = "KONDUIT_TEST_REQUIRE_SERVERS";

    private final String program;
    private final int port;
    private @Nullable Process process;

    private RedisServer(String program, int port) {
        this.program = program;
        this.port = port;
    }

    /** Skips the test where Redis is not installed, unless the environment requires it. */
    static RedisServer startOrSkip() {
        String found = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, PROGRAM))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElse("");
        if (Boolean.parseBoolean(System.getenv(REQUIRED))) {
            assertThat(found)
                    .as(PROGRAM + " must be on the PATH: " + REQUIRED + " is true")
                    .isNotEmpty();
        }
        assumeTrue(!found.isEmpty(), PROGRAM + " is not on the PATH. Install it to run this test.");
        RedisServer server = new RedisServer(found, freePort());
        server.start();
        return server;
    }

    int port() {
        return port;
    }

    void start() {
        try {
            process = new ProcessBuilder(List.of(
                            program,
                            "--port",
                            Integer.toString(port),
                            "--bind",
                            "127.0.0.1",
                            "--save",
                            "",
                            "--appendonly",
                            "no"))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(PROGRAM + " did not start.", e);
        }
        await().until(this::accepts);
    }

    void kill() {
        running().destroyForcibly();
        await().until(() -> !running().isAlive());
    }

    /** SIGSTOP: it still accepts connections, and never answers. */
    void freeze() {
        signal("STOP");
    }

    void thaw() {
        signal("CONT");
    }

    private Process running() {
        return Objects.requireNonNull(process);
    }

    private void signal(String signal) {
        try {
            int status = new ProcessBuilder(
                            "kill", "-" + signal, Long.toString(running().pid()))
                    .start()
                    .waitFor();
            assertThat(status).as("kill -" + signal).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException("kill -" + signal, e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    private boolean accepts() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("There is no free port.", e);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
