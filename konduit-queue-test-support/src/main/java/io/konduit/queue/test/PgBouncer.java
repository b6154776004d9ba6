package io.konduit.queue.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A PgBouncer in front of a test database, as a child process. Closing it ends the process. */
public final class PgBouncer implements AutoCloseable {
    private static final String REQUIRED = "KONDUIT_TEST_REQUIRE_SERVERS";
    private static final Pattern URL = Pattern.compile("jdbc:postgresql://([^:/]+):?(\\d+)?/[^?]*\\??(.*)");

    private final TestDatabase database;
    private final Process process;
    private final int port;
    private final Path directory;

    private PgBouncer(TestDatabase database, Process process, int port, Path directory) {
        this.database = database;
        this.process = process;
        this.port = port;
        this.directory = directory;
    }

    /** Whether the program is installed. With {@code KONDUIT_TEST_REQUIRE_SERVERS=true}, as in CI, it must be. */
    public static boolean isInstalled() {
        boolean found = program().isPresent();
        if (!found && Boolean.parseBoolean(System.getenv(REQUIRED))) {
            throw new IllegalStateException(REQUIRED + " is true, but there is no pgbouncer. Install the package.");
        }
        return found;
    }

    /** Whether this version (1.21 or later) can keep prepared statements apart; its settings decide whether it does. */
    public static boolean knowsPreparedStatements() {
        try {
            Process process = new ProcessBuilder(program().orElseThrow().toString(), "--version").start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher version = Pattern.compile("PgBouncer 1\\.(\\d+)").matcher(text);
            return !version.find() || Integer.parseInt(version.group(1)) >= 21;
        } catch (IOException e) {
            throw new UncheckedIOException("PgBouncer does not say its version.", e);
        }
    }

    /**
     * Starts one without support for prepared statements, with a pool of server connections for this database.
     *
     * @param mode {@code transaction} or {@code session}
     * @param serverConnections how many connections to PostgreSQL all clients share
     * @param more additional lines for the settings file
     */
    public static PgBouncer inFrontOf(TestDatabase database, String mode, int serverConnections, String... more) {
        try {
            Path directory = Files.createTempDirectory("konduit-pgbouncer");
            int port = freePort();
            String text = settings(database, mode, serverConnections, port) + String.join("\n", more) + "\n";
            Path settings = Files.writeString(directory.resolve("pgbouncer.ini"), text);
            // PgBouncer drops root privileges before it reads further files
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-r--r--"));
            Process process = new ProcessBuilder(command(settings))
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("log").toFile())
                    .start();
            PgBouncer started = new PgBouncer(database, process, port, directory);
            started.awaitAnswer();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("PgBouncer did not start.", e);
        }
    }

    /** The address of the test database through PgBouncer. */
    public String jdbcUrl() {
        return "jdbc:postgresql://localhost:" + port + "/" + database.name() + "?user=" + parameter("user", "postgres");
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            for (String file : List.of("pgbouncer.ini", "log")) {
                Files.deleteIfExists(directory.resolve(file));
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<String> command(Path settings) {
        List<String> command = new ArrayList<>();
        command.add(program().orElseThrow().toString());
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(settings.toString());
        return command;
    }

    private static String settings(TestDatabase database, String mode, int serverConnections, int port) {
        Matcher url = URL.matcher(database.jdbcUrl());
        if (!url.matches()) {
            throw new IllegalArgumentException("PgBouncer needs an address with one host.");
        }
        String password = parameterOf(database, "password", "");
        return """
                [databases]
                %s = host=%s port=%s user=%s%s
                [pgbouncer]
                listen_addr = localhost
                listen_port = %d
                unix_socket_dir =
                auth_type = any
                pool_mode = %s
                default_pool_size = %d
                max_client_conn = 300
                ignore_startup_parameters = extra_float_digits
                %s
                """.formatted(
                        database.name(),
                        url.group(1),
                        url.group(2) == null ? "5432" : url.group(2),
                        parameterOf(database, "user", "postgres"),
                        password.isEmpty() ? "" : " password=" + password,
                        port,
                        mode,
                        serverConnections,
                        knowsPreparedStatements() ? "max_prepared_statements = 0" : "");
    }

    private String parameter(String name, String otherwise) {
        return parameterOf(database, name, otherwise);
    }

    private static String parameterOf(TestDatabase database, String name, String otherwise) {
        Matcher parameter = Pattern.compile("[?&]" + name + "=([^&]*)").matcher(database.jdbcUrl());
        return parameter.find() ? parameter.group(1) : otherwise;
    }

    private void awaitAnswer() throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        @Nullable IOException last = null;
        while (process.isAlive() && System.nanoTime() < end) {
            try (Socket socket = new Socket(InetAddress.getByName("localhost"), port)) {
                if (socket.isConnected()) {
                    return;
                }
            } catch (IOException e) {
                last = e;
                Thread.onSpinWait();
            }
        }
        throw new IOException("PgBouncer does not answer: " + Files.readString(directory.resolve("log")), last);
    }

    private static Optional<Path> program() {
        String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin";
        return Stream.of(path.split(":", -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, "pgbouncer"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
