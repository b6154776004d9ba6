package io.konduit.queue.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.test.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the simulation is worth: each SQL mutation of scripts/sabotage.sh is put before the real statements on the class
 * path of a JVM, which runs seeds until one fails. Prints the table of docs/testing.md.
 */
@Tag("long")
@EnabledOnOs(OS.LINUX)
@Timeout(value = 3, unit = TimeUnit.HOURS)
class SimulationSabotageTests {
    private static final long SEEDS = Long.getLong("konduit.simulation.sabotage.seeds", 1_000);
    /** docs/testing.md gives the reason for each. */
    private static final Set<String> OUT_OF_SIGHT = Set.of(
            "running task without an end of its lease stays",
            "lease is counted from the start of the transaction",
            "claim takes rows at the same ctid in another table",
            "claim over several tables takes their ctids in the first",
            "claim takes more than fits into memory",
            "reclaim takes a lease at the instant it ends",
            "running task may lose the end of its lease",
            "any status is accepted",
            "view reads both tables whole",
            "witness: lock is not looked for again",
            "witness: grace begins before the locks are seen");

    @TempDir
    Path folder;

    @Test
    void everyMutationInSightIsNoticed() throws Exception {
        Set<String> unnoticed = new ConcurrentSkipListSet<>();
        List<Callable<Void>> work = new ArrayList<>();
        try (TestDatabase server = TestDatabase.create()) {
            System.out.println("| mutation | seeds until noticed | what noticed it |");
            System.out.println("|---|---|---|");
            for (Path overlay : overlays()) {
                String name = Files.readString(overlay.resolve("name")).strip();
                if (!OUT_OF_SIGHT.contains(name)) {
                    work.add(() -> {
                        String failure = SimulationJvm.run(overlay, server.serverUrl(), 1, SEEDS)
                                .failure();
                        if (failure == null) {
                            unnoticed.add(name);
                        }
                        System.out.println("| " + name + " | " + describe(failure) + " |");
                        return null;
                    });
                }
            }
            SimulationJvm.all(work);
        }
        assertThat(unnoticed).isEmpty();
    }

    private static String describe(@Nullable String failure) {
        return failure == null
                ? "not in " + SEEDS + " | -"
                : failure.replaceFirst(" seeds: Seed [0-9]+: ", " | ").replaceFirst("task [0-9]+: ", "");
    }

    private List<Path> overlays() throws IOException, InterruptedException {
        Process process = new ProcessBuilder("bash", script().toString(), "--overlays", folder.toString())
                .inheritIO()
                .start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isZero();
        try (Stream<Path> found = Files.list(folder)) {
            return found.sorted().toList();
        }
    }

    private static Path script() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path script = at.resolve("scripts/sabotage.sh");
            if (Files.exists(script)) {
                return script;
            }
        }
        throw new IllegalStateException("scripts/sabotage.sh is not above this folder.");
    }
}
