package io.konduit.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.engine.QueueChores;
import io.konduit.queue.host.EmptyDatabase;
import io.konduit.queue.leader.Chore;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Which background chores an instance has, and how each is switched off. */
@ExtendWith(OutputCaptureExtension.class)
class QueueChoresTests {
    @RegisterExtension
    static final EmptyDatabase database = new EmptyDatabase();

    private final ApplicationContextRunner application = database.application(
            KonduitQueueAutoConfiguration.class,
            KonduitQueueInstanceAutoConfiguration.class,
            KonduitQueueWorkerAutoConfiguration.class,
            KonduitQueueRecoveryAutoConfiguration.class);

    @Test
    @Tag("C4")
    @Tag("R1")
    void everyChoreIsOnByDefault() {
        run(chores -> assertThat(chores)
                .contains(
                        "reaper",
                        "abandoned",
                        "stale-workers",
                        "retention-completed",
                        "retention-failed",
                        "retention-incidents",
                        "retention-workers"));
    }

    @Test
    @Tag("L5")
    void reaperIntervalOfZeroSwitchesTheReaperOffWithAWarning(CapturedOutput output) {
        run(
                chores -> assertThat(chores).doesNotContain("reaper").contains("abandoned"),
                "konduit.queue.reaper-interval=0");

        assertThat(output.getOut().lines().filter(line -> line.contains("'konduit.queue.reaper-interval' is 0")))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .contains("WARN", "the tasks of crashed workers do not come back on their own"));
    }

    @Test
    @Tag("C3")
    void abandonedThresholdOfZeroSwitchesTheCleanerOff() {
        run(
                chores -> assertThat(chores).doesNotContain("abandoned").contains("reaper"),
                "konduit.queue.abandoned.threshold=0");
    }

    @Test
    @Tag("R1")
    void retentionOfZeroKeepsThatKindForEver() {
        run(
                chores -> assertThat(chores)
                        .doesNotContain("retention-failed", "retention-incidents")
                        .contains("retention-completed", "retention-workers"),
                "konduit.queue.retention.failed=0",
                "konduit.queue.retention.incidents=0");
    }

    private void run(Consumer<List<String>> check, String... properties) {
        application
                .withPropertyValues(properties)
                .run(context -> check.accept(context.getBean(QueueChores.class).chores().stream()
                        .map(Chore::name)
                        .toList()));
    }
}
