package io.konduit.queue.host;

import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The JVM of a {@link StandaloneApplication} as the test sees it. */
final class StandaloneJvm implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** On the class path for other tests. */
    private static final String EXCLUDED =
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration";

    private final Process process;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    private StandaloneJvm(Process process) {
        this.process = process;
        Thread reader = new Thread(this::read, "output of the application");
        reader.setDaemon(true);
        reader.start();
    }

    static StandaloneJvm start(String jdbcUrl, String... properties) {
        List<String> command = new ArrayList<>(List.of(StandaloneApplication.class.getName()));
        command.addAll(arguments(jdbcUrl, properties));
        return run("", List.of(), command);
    }

    /** With every setting of the queue at its default, but for the given ones. */
    static StandaloneJvm startWithDefaults(String jdbcUrl, String... properties) {
        List<String> command = new ArrayList<>(List.of(StandaloneApplication.class.getName()));
        command.addAll(defaults(jdbcUrl));
        Arrays.stream(properties).map(property -> "--" + property).forEach(command::add);
        return run("", List.of(), command);
    }

    /** What the application is started with, also when it is processed ahead of time. */
    static List<String> arguments(String jdbcUrl, String... properties) {
        List<String> arguments = defaults(jdbcUrl);
        arguments.addAll(List.of(
                "--konduit.queue.worker.poll-interval=200ms",
                "--konduit.queue.worker.drain-timeout=5s",
                "--konduit.queue.reaper-interval=500ms"));
        Arrays.stream(properties).map(property -> "--" + property).forEach(arguments::add);
        return arguments;
    }

    private static List<String> defaults(String jdbcUrl) {
        return new ArrayList<>(List.of(
                "--spring.main.web-application-type=none",
                "--spring.datasource.url=" + jdbcUrl,
                "--spring.flyway.enabled=false",
                "--spring.autoconfigure.exclude=" + EXCLUDED));
    }

    /**
     * Starts a JVM.
     *
     * @param before what comes before the class path of the tests
     * @param command the main class and its arguments
     */
    static StandaloneJvm run(String before, List<String> options, List<String> command) {
        List<String> whole = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
        whole.addAll(options);
        whole.addAll(List.of("-cp", before + System.getProperty("java.class.path")));
        whole.addAll(command);
        try {
            return new StandaloneJvm(
                    new ProcessBuilder(whole).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException("The application's JVM did not start.", e);
        }
    }

    private void read() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            output.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException e) {
            lines.add("the output ended with " + e);
        }
    }

    String output() {
        return String.join("\n", lines);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits until it has said so; fails when it ends before. */
    StandaloneJvm awaitLine(String line) {
        await().atMost(PATIENCE).until(() -> lines.contains(line) || !process.isAlive());
        if (!lines.contains(line)) {
            throw new AssertionError("The application ended with code " + exitCode() + " before it said '" + line
                    + "':\n" + String.join("\n", lines));
        }
        return this;
    }

    /** What it has said so far, one element per line. */
    List<String> lines() {
        return List.copyOf(lines);
    }

    long pid() {
        return process.pid();
    }

    /** SIGKILL: it has no chance to say anything. */
    void kill() {
        process.destroyForcibly();
    }

    /** Such as STOP and CONT. */
    void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                .inheritIO()
                .start();
        if (kill.waitFor() != 0) {
            throw new AssertionError("The signal " + name + " was not sent.");
        }
    }

    /** SIGTERM. Not by {@link Process#destroy}, which closes its standard input as well. */
    void terminate() {
        process.toHandle().destroy();
    }

    /** Waits for its end; the code that a shell would show. */
    int exitCode() {
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("The application did not end:\n" + String.join("\n", lines));
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
