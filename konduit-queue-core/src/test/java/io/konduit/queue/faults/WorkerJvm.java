package io.konduit.queue.faults;

import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** A worker JVM as the test sees it: can be killed, paused, resumed and told to stop. */
final class WorkerJvm implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(120);

    /** An application with a handler that must not run twice. */
    static final String PAYMENTS = "payments";
    /** An application on the same queue that does not have it. */
    static final String MAILS = "mails";

    private final String name;
    private final Process process;
    private final Thread reader;
    private final List<Oracle.Line> lines = new CopyOnWriteArrayList<>();
    private final List<String> log = new CopyOnWriteArrayList<>();

    private WorkerJvm(String name, Process process) {
        this.name = name;
        this.process = process;
        this.reader = new Thread(this::read, "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts one without waiting for it. */
    static WorkerJvm start(String jdbcUrl, String name, int slots, Duration drainTimeout, int quarantineAfter) {
        return start("faults", jdbcUrl, name, slots, drainTimeout, quarantineAfter);
    }

    /** Starts one with the handlers of an application. */
    static WorkerJvm start(
            String application, String jdbcUrl, String name, int slots, Duration drainTimeout, int quarantineAfter) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                WorkerMain.class.getName(),
                jdbcUrl,
                name,
                Integer.toString(slots),
                Long.toString(drainTimeout.toMillis()),
                Integer.toString(quarantineAfter),
                application);
        try {
            return new WorkerJvm(
                    name, new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException("The worker JVM " + name + " did not start.", e);
        }
    }

    WorkerJvm awaitReady() {
        await(name + " is ready")
                .atMost(START_TIMEOUT)
                .until(() -> said("ready").findAny().isPresent() || !process.isAlive());
        if (!process.isAlive()) {
            throw new AssertionError(name + " ended while it started:\n" + String.join("\n", log));
        }
        return this;
    }

    private void read() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                Oracle.Line.parse(line).ifPresent(lines::add);
                log.add(line);
            }
        } catch (IOException e) {
            log.add("the output ended with " + e);
        }
    }

    /** The identity of its worker. */
    UUID worker() {
        return said("ready").findFirst().orElseThrow().worker();
    }

    List<Oracle.Line> lines() {
        return lines;
    }

    Stream<Oracle.Line> said(String what) {
        return lines.stream().filter(line -> line.is(what));
    }

    /** Tasks that it began and did not end. */
    List<Long> begun() {
        List<Long> ended = said("end").map(Oracle.Line::task).toList();
        return said("start")
                .map(Oracle.Line::task)
                .filter(task -> !ended.contains(task))
                .toList();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL. Not by {@link Process#destroyForcibly}, which throws away what the process said last. */
    void kill() {
        signal("KILL");
        awaitEnd();
    }

    /** SIGTERM: a graceful stop. */
    void terminate() {
        signal("TERM");
    }

    /** Waits for its end and for all that it said before. */
    void awaitEnd() {
        await(name + " ends").atMost(Duration.ofSeconds(30)).until(() -> !process.isAlive() && !reader.isAlive());
    }

    /** SIGSTOP: a pause of the whole process, as of a virtual machine that is moved. */
    void pause() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    private void signal(String signal) {
        try {
            int status = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .start()
                    .waitFor();
            if (status != 0) {
                throw new AssertionError("kill -" + signal + " of " + name + " ended with " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("kill -" + signal, e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Whether it took its own silence, or the database's, for an outage (H10). */
    boolean putTheReaperOff() {
        return log.stream().anyMatch(line -> line.contains("nothing is reclaimed for"));
    }

    /** Whether it has looked at a task of that type and left it alone. */
    boolean leftAlone(String type) {
        return log.stream().anyMatch(line -> line.contains("no handler for tasks of type '" + type + "'"));
    }

    /** All it said, for a test that failed. */
    String log() {
        return name + "\n  " + String.join("\n  ", log);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
