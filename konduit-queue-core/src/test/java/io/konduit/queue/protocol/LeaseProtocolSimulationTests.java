package io.konduit.queue.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The whole lease protocol in virtual time: workers, reapers and people on one table, with crashes, pauses, cut-off nodes, outages,
 * clock jumps, failovers, lost replies, doubled and late statements, all drawn from a seed.
 *
 * <p>{@code -Dkonduit.simulation.seeds=N} runs another number of seeds, {@code -Dkonduit.simulation.seed=N} replays one and prints
 * what happened in it.
 */
class LeaseProtocolSimulationTests {
    private static final long SEEDS = Long.getLong("konduit.simulation.seeds", 10_000);
    private static final long SEEDS_FOR_SABOTAGE = 10_000;
    private static final int LINES_SHOWN = 150;

    @Test
    @Tag("L2")
    @Tag("L7")
    @Tag("L9")
    @Tag("L13")
    @Tag("L17")
    @Tag("L20")
    @Tag("H5")
    @Tag("H7")
    @Tag("H10")
    @Tag("F1")
    @Tag("F3")
    @Tag("F4")
    @Tag("F6")
    @Tag("E5")
    void everyInvariantHoldsInEverySeed() {
        Long replayed = Long.getLong("konduit.simulation.seed");
        if (replayed != null) {
            replay(replayed);
            return;
        }
        Tally happened = new Tally();
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                happened.addAll(new SimulatedWorld(seed, Sabotage.NONE, null).run());
            } catch (InvariantViolation violation) {
                fail(describe(seed, violation));
            }
        }
        System.out.println(SEEDS + " seeds: " + happened);
        for (Tally.Count count : Tally.Count.values()) {
            assertThat(happened.of(count)).as("%s in %d seeds", count, SEEDS).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void sabotageIsNoticed(Sabotage sabotage) {
        for (long seed = 0; seed < SEEDS_FOR_SABOTAGE; seed++) {
            try {
                new SimulatedWorld(seed, sabotage, null).run();
            } catch (InvariantViolation violation) {
                System.out.println(sabotage + " noticed in seed " + seed + " by " + violation.getMessage());
                assertThat(violation.invariant()).as(violation.getMessage()).isIn(sabotage.noticedBy());
                return;
            }
        }
        fail("%s was not noticed in %d seeds", sabotage, SEEDS_FOR_SABOTAGE);
    }

    @Test
    void sameSeedIsTheSameRun() {
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        new SimulatedWorld(7, Sabotage.NONE, first).run();
        new SimulatedWorld(7, Sabotage.NONE, second).run();

        assertThat(first).isNotEmpty().isEqualTo(second);
    }

    private static void replay(long seed) {
        List<String> trace = new ArrayList<>();
        try {
            new SimulatedWorld(seed, Sabotage.NONE, trace).run();
        } finally {
            trace.forEach(System.out::println);
        }
    }

    /** Runs the seed once more, this time with a trace. */
    private static String describe(long seed, InvariantViolation violation) {
        List<String> trace = new ArrayList<>();
        try {
            new SimulatedWorld(seed, Sabotage.NONE, trace).run();
        } catch (InvariantViolation again) {
            trace.add(again.getMessage());
        }
        List<String> shown = trace.subList(Math.max(0, trace.size() - LINES_SHOWN), trace.size());
        return "Seed %d: %s%nReplay it with -Dkonduit.simulation.seed=%d%n  %s"
                .formatted(seed, violation.getMessage(), seed, String.join("\n  ", shown));
    }
}
