package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.store.ClaimRequest.Probe;
import io.konduit.queue.store.ClaimedTask;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClaimBoundsTests {
    private final AtomicLong nanos = new AtomicLong(-Duration.ofHours(1).toNanos());
    private final ClaimBounds bounds = new ClaimBounds(List.of("a", "b"), nanos::get);

    private static ClaimedTask task(String queue, int priority, OffsetDateTime runAt) {
        return Tasks.claimed(1, queue, priority, runAt, Duration.ofMinutes(1));
    }

    private static ClaimedTask waited(Duration waited) {
        return Tasks.claimed(1, "a", 1, Tasks.RUN_AT, Duration.ofMinutes(1), waited);
    }

    @Test
    void looksAtTheBestPriorityFirstAndAtTheQueuesInTurns() {
        assertThat(names()).containsExactly("b0", "a0", "b1", "a1", "b2", "a2", "b3", "a3");
        assertThat(names()).containsExactly("a0", "b0", "a1", "b1", "a2", "b2", "a3", "b3");
        assertThat(names()).startsWith("b0", "a0");
    }

    @Test
    void knowsNoBoundBeforeAClaimWasFull() {
        assertThat(bounds.probes()).extracting(Probe::lowerBound).containsOnly("-infinity");
    }

    @Test
    void startsASecondBeforeTheLastTaskOfItsQueueAndPriority() {
        bounds.claimed(List.of(
                task("a", 1, Tasks.RUN_AT), task("a", 1, Tasks.RUN_AT.plusSeconds(60)), task("b", 2, Tasks.RUN_AT)));
        assertThat(bounds.probes())
                .contains(
                        new Probe("a", 1, Tasks.RUN_AT.plusSeconds(59).toString()),
                        new Probe("b", 2, Tasks.RUN_AT.minusSeconds(1).toString()),
                        new Probe("a", 2, "-infinity"));
    }

    @Test
    void startsASecondBeforeTheLastTaskOfEachQueueWhenTheyTakeTurns() {
        bounds.claimed(List.of(
                task("a", 1, Tasks.RUN_AT),
                task("b", 1, Tasks.RUN_AT.plusSeconds(10)),
                task("a", 1, Tasks.RUN_AT.plusSeconds(20)),
                task("a", 1, Tasks.RUN_AT.plusSeconds(30)),
                task("b", 1, Tasks.RUN_AT.plusSeconds(40)),
                task("b", 2, Tasks.RUN_AT)));
        assertThat(bounds.probes())
                .contains(
                        new Probe("a", 1, Tasks.RUN_AT.plusSeconds(29).toString()),
                        new Probe("b", 1, Tasks.RUN_AT.plusSeconds(39).toString()),
                        new Probe("b", 2, Tasks.RUN_AT.minusSeconds(1).toString()));
    }

    @Test
    void startsAtTheLastTaskWhenItHasWaitedForLong() {
        bounds.claimed(List.of(waited(Duration.ofSeconds(30))));
        assertThat(bounds.probes()).contains(new Probe("a", 1, Tasks.RUN_AT.toString()));
        bounds.claimed(List.of(waited(Duration.ofMillis(29_999))));
        assertThat(bounds.probes())
                .contains(new Probe("a", 1, Tasks.RUN_AT.minusSeconds(1).toString()));
    }

    @Test
    void boundsLiveForTwoSecondsHoweverOftenTheyAreRenewed() {
        for (int i = 0; i < 4; i++) {
            bounds.claimed(List.of(task("a", 1, Tasks.RUN_AT)));
            nanos.addAndGet(Duration.ofMillis(500).toNanos());
            assertThat(bounds.probes())
                    .extracting(Probe::lowerBound)
                    .contains(Tasks.RUN_AT.minusSeconds(1).toString());
        }
        nanos.incrementAndGet();
        assertThat(bounds.probes()).extracting(Probe::lowerBound).containsOnly("-infinity");
    }

    @Test
    void boundsAreDroppedWhenAClaimCameBackShort() {
        bounds.claimed(List.of(task("a", 1, Tasks.RUN_AT)));
        bounds.reset();
        assertThat(bounds.probes()).extracting(Probe::lowerBound).containsOnly("-infinity");
    }

    @Test
    void fullClaimSetsBoundsAndAShortOneDropsThem() {
        look(Duration.ofMillis(1), true, task("a", 1, Tasks.RUN_AT));
        assertThat(bounds.probes())
                .contains(new Probe("a", 1, Tasks.RUN_AT.minusSeconds(1).toString()));
        look(Duration.ofMillis(1), false, task("a", 1, Tasks.RUN_AT));
        assertThat(bounds.probes()).extracting(Probe::lowerBound).containsOnly("-infinity");
    }

    private void look(Duration took, boolean full, ClaimedTask... tasks) {
        List<Probe> probes = bounds.probes();
        long sent = nanos.get();
        nanos.addAndGet(took.toNanos());
        bounds.looked(probes, List.of(tasks), full, sent);
    }

    private List<Duration> searched() {
        return bounds.probes().stream().map(Probe::searched).toList();
    }

    @Test
    void shortLookIsRepeatedFromTheStart() {
        look(Duration.ofMillis(20), false);
        assertThat(searched()).containsOnlyNulls();
    }

    @Test
    void longLookInVainIsNotRepeatedBeforeTwentyTimesItsDuration() {
        look(Duration.ofMillis(100), false);
        assertThat(searched()).containsOnly(Duration.ofMillis(1_100));
        look(Duration.ofMillis(1), false);
        assertThat(searched()).containsOnly(Duration.ofMillis(1_101));
        nanos.addAndGet(Duration.ofMillis(1_898).toNanos());
        assertThat(searched()).containsOnly(Duration.ofMillis(2_999));
        nanos.addAndGet(Duration.ofMillis(1).toNanos());
        assertThat(searched()).containsOnlyNulls();
        look(Duration.ofMillis(1), false);
        assertThat(searched()).as("what was long is gone").containsOnlyNulls();
    }

    @Test
    void nothingIsHiddenForMoreThanTenSeconds() {
        look(Duration.ofSeconds(5), false);
        nanos.addAndGet(Duration.ofSeconds(5).toNanos() - 1);
        assertThat(searched()).doesNotContainNull();
        nanos.incrementAndGet();
        assertThat(searched()).containsOnlyNulls();
    }

    /** A full claim has read to their ends only the probes before the last that brought something. */
    @Test
    void fullClaimHasSearchedEveryProbeBeforeTheLastItTookFrom() {
        look(Duration.ofMillis(100), true, task("b", 1, Tasks.RUN_AT), task("a", 1, Tasks.RUN_AT));
        assertThat(bounds.probes().stream()
                        .filter(probe -> probe.searched() != null)
                        .map(probe -> probe.queue() + probe.priority()))
                .containsExactly("a0", "b0", "b1");
    }

    @Test
    void fullClaimHasNotSearchedAnotherQueueOfTheSamePriority() {
        look(Duration.ofMillis(100), true, task("b", 1, Tasks.RUN_AT));
        assertThat(bounds.probes().stream()
                        .filter(probe -> probe.searched() != null)
                        .map(probe -> probe.queue() + probe.priority()))
                .containsExactly("a0", "b0");
    }

    /** A look that began at a bound proves nothing about what is before it. */
    @Test
    void lookBehindABoundCountsForNothing() {
        bounds.claimed(List.of(task("a", 1, Tasks.RUN_AT)));
        look(Duration.ofMillis(100), false);
        assertThat(bounds.probes().stream()
                        .filter(probe -> probe.searched() == null)
                        .map(probe -> probe.queue() + probe.priority()))
                .containsExactly("a1");
    }

    private List<String> names() {
        return bounds.probes().stream()
                .map(probe -> probe.queue() + probe.priority())
                .toList();
    }
}
