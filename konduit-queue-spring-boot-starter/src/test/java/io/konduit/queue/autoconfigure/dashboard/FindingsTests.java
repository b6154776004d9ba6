package io.konduit.queue.autoconfigure.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.admin.PausedQueue;
import io.konduit.queue.admin.QueueOverview;
import io.konduit.queue.admin.QueueState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** B1: whether all is well, in one sentence, and what to do first. */
@Tag("B1")
class FindingsTests {
    private static final Instant NOW = Instant.parse("2030-01-31T08:00:00Z");

    private final Findings findings = new Findings(Duration.ofSeconds(30));

    @Test
    void allIsWellWhenNothingNeedsAPerson() {
        assertThat(texts(overview(10.0, null, 0, queue("mail", 3, 1, 0, 0, 2.0, 1))))
                .containsExactly("All is well: 1 task runs, 3 tasks wait.");
        assertThat(texts(overview(null, null, 0))).containsExactly("All is well: nothing runs, nothing waits.");
    }

    @Test
    void theWorstComesFirst() {
        QueueState mail = queue("mail", 1_234, 0, 2, 5, 4_000.0, 0);
        QueueState slow = queue("slow", 9, 1, 0, 0, 61.0, 1);
        List<Finding> found = findings.of(overview(900.0, null, 1, mail, slow));
        assertThat(found.stream().map(Finding::text))
                .containsExactly(
                        "Crash recovery last ran 15 min ago.",
                        "No active worker serves queue 'mail', and its oldest task has been due for 1 h 6 min.",
                        "Tasks in queue 'slow' start late: the oldest has been due for 1 min.",
                        "2 tasks wait for your decision.",
                        "1 worker sent no heartbeat lately.",
                        "5 tasks have failed for good.");
        assertThat(found).allSatisfy(one -> assertThat(one.text()).endsWith("."));
        assertThat(found.get(3).link()).isEqualTo("#/review");
    }

    @Test
    void anUnservedQueueWithoutDueTasksIsNoAlarm() {
        assertThat(texts(overview(10.0, null, 0, queue("later", 5, 0, 0, 0, null, 0))))
                .containsExactly("All is well: nothing runs, 5 tasks wait.");
    }

    @Test
    void aPausedQueueIsNotedAndNotCalledUnserved() {
        QueueState paused = new QueueState(
                "mail", 1, false, 0, 0, 0, 500.0, 0, 0, new PausedQueue("mail", NOW, "ada", "provider down"));
        assertThat(texts(overview(10.0, null, 0, paused)))
                .containsExactly("Queue 'mail' is paused by ada, and 1 task waits in it.");
        QueueState empty = new QueueState("mail", 0, false, 0, 0, 0, null, 0, 0, paused.paused());
        assertThat(texts(overview(10.0, null, 0, empty))).containsExactly("Queue 'mail' is paused by ada.");
    }

    @Test
    void saysThatNobodyTakesBackALeaseOrThatRecoveryIsOff() {
        assertThat(texts(overview(10.0, 300.0, 0)))
                .containsExactly("The lease of a task ended 5 min ago and nobody has taken it back.");
        assertThat(new Findings(Duration.ZERO)
                        .of(overview(null, null, 0))
                        .get(0)
                        .text())
                .startsWith("Crash recovery is off");
    }

    private List<String> texts(QueueOverview overview) {
        return findings.of(overview).stream().map(Finding::text).toList();
    }

    private static QueueOverview overview(
            @Nullable Double sinceReaper, @Nullable Double oldestExpired, int stale, QueueState... queues) {
        return new QueueOverview(
                NOW, List.of(queues), 1, stale, 0, 4, "leader-1", null, 0, 3, null, oldestExpired, sinceReaper);
    }

    private static QueueState queue(
            String name, long pending, long running, long held, long failed, @Nullable Double due, int workers) {
        return new QueueState(name, pending, false, running, held, failed, due, workers, workers * 4, null);
    }
}
