package io.konduit.queue.test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the commands of a page as a reader would paste them, with a real shell and curl, against a test's port. */
public final class ShellCommands {
    private static final String REQUIRED = "KONDUIT_TEST_REQUIRE_SERVERS";
    private static final long MAX_SECONDS = 60;

    /** A refused request ends the script, and each command is printed before its output. */
    private static final String PREFIX = """
            curl() { command curl -sS --fail-with-body "$@"; }
            set -eux
            """;

    private ShellCommands() {}

    /**
     * Whether curl and a shell are installed. With {@code KONDUIT_TEST_REQUIRE_SERVERS=true}, as in CI, they must be.
     */
    public static boolean areAvailable() {
        if ("true".equals(System.getenv(REQUIRED))) {
            return true;
        }
        return Stream.of("sh", "curl").allMatch(program -> Stream.of("/usr/bin/", "/bin/", "/usr/local/bin/")
                .anyMatch(folder -> Files.isExecutable(Path.of(folder + program))));
    }

    /**
     * Runs a script in an empty folder and returns what it printed.
     *
     * @param script calls {@code localhost:8080}
     */
    public static String run(String script, int port) {
        try {
            Path folder = Files.createTempDirectory("konduit-commands");
            try {
                return run(script, port, folder, Map.of());
            } finally {
                delete(folder);
            }
        } catch (IOException e) {
            throw new IllegalStateException("The commands could not be run:\n" + script, e);
        }
    }

    /**
     * Runs a script in a folder and returns what it printed. Processes that it leaves in the background keep running.
     *
     * @param script calls {@code localhost:8080}
     * @param environment additional environment variables of the script and its processes
     */
    public static String run(String script, int port, Path folder, Map<String, String> environment) {
        try {
            Path output = Files.createTempFile("konduit-commands", ".txt");
            try {
                return run(PREFIX + script.replace("localhost:8080", "localhost:" + port), folder, environment, output);
            } finally {
                Files.delete(output);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("The commands could not be run:\n" + script, e);
        }
    }

    private static String run(String script, Path folder, Map<String, String> environment, Path output)
            throws IOException, InterruptedException {
        ProcessBuilder shell = new ProcessBuilder("sh", "-c", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        shell.environment().putAll(environment);
        Process process = shell.start();
        if (!process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            throw new AssertionError("The commands did not end within " + MAX_SECONDS + " s:\n" + script);
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        if (process.exitValue() != 0) {
            throw new AssertionError("The commands ended with " + process.exitValue() + ":\n" + text);
        }
        return text;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
