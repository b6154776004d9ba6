package io.konduit.queue.simulation;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Simulations in JVMs of their own, as many side by side as there are processors: one simulation keeps less than one busy. */
final class SimulationJvm {
    private static final int SIDE_BY_SIDE = Runtime.getRuntime().availableProcessors();

    /** What one JVM said. */
    record Result(@Nullable String failure, Tally happened, String lastLine) {}

    private SimulationJvm() {}

    /** Runs these seeds until one fails; what lies in the folder hides what this JVM has under the same name. */
    static Result run(@Nullable Path folder, String server, long first, long last)
            throws IOException, InterruptedException {
        String classPath = System.getProperty("java.class.path");
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx400m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        folder == null ? classPath : folder + File.pathSeparator + classPath,
                        SimulationMain.class.getName(),
                        Long.toString(first),
                        Long.toString(last))
                .redirectErrorStream(true);
        builder.environment().put("KONDUIT_TEST_JDBC_URL", server);
        Process process = builder.start();
        String failure = null;
        String lastLine = "";
        Tally happened = new Tally();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(SimulationMain.FAILED)) {
                    failure = line.substring(SimulationMain.FAILED.length());
                }
                happened.read(line);
                lastLine = line;
            }
        } finally {
            process.destroy();
        }
        int exit = process.waitFor();
        if (exit != 0 && failure == null) {
            throw new IllegalStateException("A JVM of the simulation ended with " + exit + ": " + lastLine);
        }
        return new Result(failure, happened, lastLine);
    }

    /** The results in the order of the work. */
    static <T> List<T> all(List<Callable<T>> work) throws Exception {
        ExecutorService runners = Executors.newFixedThreadPool(SIDE_BY_SIDE);
        try {
            List<T> results = new ArrayList<>();
            for (Future<T> result : runners.invokeAll(work)) {
                results.add(result.get());
            }
            return results;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            runners.shutdownNow();
        }
    }
}
