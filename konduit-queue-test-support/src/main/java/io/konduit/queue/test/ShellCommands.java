package io.konduit.queue.test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs commands of a page as a reader would paste them, with a real shell and curl, against the port of a test. */
public final class ShellCommands {
    private static final String REQUIRED = "KONDUIT_TEST_REQUIRE_SERVERS";
    private static final long MOST_SECONDS = 60;

    /** A call that the server refuses ends the script, and each command shows before its output. */
    private static final String PREFIX = """
            curl() { command curl -sS --fail-with-body "$@"; }
            set -eux
            """;

    private ShellCommands() {}

    /** Whether curl and a shell are there. Where {@code KONDUIT_TEST_REQUIRE_SERVERS=true}, as in CI, they have to be. */
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
     * @param script speaks to {@code localhost:8080}
     */
    public static String run(String script, int port) {
        try {
            Path folder = Files.createTempDirectory("konduit-commands");
            try {
                return run(PREFIX + script.replace("localhost:8080", "localhost:" + port), folder);
            } finally {
                delete(folder);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("The commands could not be run:\n" + script, e);
        }
    }

    private static String run(String script, Path folder) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder("sh", "-c", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            throw new AssertionError("The commands did not end within " + MOST_SECONDS + " s:\n" + script);
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
