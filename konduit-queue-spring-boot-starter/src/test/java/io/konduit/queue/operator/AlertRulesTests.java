package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The alert rules, checked and tested by Prometheus' own tool where it is installed. */
@Tag("O4")
class AlertRulesTests {
    private static final Path RULES = Path.of("..", "docs", "operating");

    @BeforeEach
    void requirePromtool() {
        boolean found = Stream.of(System.getenv("PATH").split(java.io.File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "promtool")));
        if (Boolean.parseBoolean(System.getenv("KONDUIT_TEST_REQUIRE_SERVERS"))) {
            assertThat(found).as("promtool on the PATH").isTrue();
        }
        assumeTrue(found, "promtool is not on the PATH");
    }

    @Test
    void theRulesAreValid() {
        assertSuccess("check", "rules", "alerts.yml");
    }

    @Test
    void theRulesFireWhenTheyShould() {
        assertSuccess("test", "rules", "alerts-test.yml");
    }

    private static void assertSuccess(String... arguments) {
        try {
            Process process = new ProcessBuilder(Stream.concat(Stream.of("promtool"), Stream.of(arguments))
                            .toList())
                    .directory(RULES.toFile())
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue())
                    .as(List.of(arguments) + "\n" + output)
                    .isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
