package io.konduit.queue.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.test.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The real code in simulated worlds. Seeds are taken from 1 upward: as many as fit into 90 seconds, 10 000 with the long
 * tests.
 *
 * <p>{@code -Dkonduit.simulation.seed=N} replays one seed and prints its trace; {@code -Dkonduit.simulation.seconds=N}
 * changes the time.
 */
class SimulationTests {
    private static final Duration TIME = Duration.ofSeconds(Long.getLong("konduit.simulation.seconds", 90));
    private static final int LEAST_SEEDS = 20;
    private static final long SEEDS_OF_LONG_RUNS = Long.getLong("konduit.simulation.seeds", 10_000);
    private static final long SEEDS_OF_A_JVM = 500;
    private static final int LINES_SHOWN = 150;
    private static final List<String> FAULTS = List.of(
            "crash",
            "freeze",
            "cut",
            "jump",
            "restart",
            "recovery",
            "session",
            "partition",
            "stop",
            "REQUEST_LOST",
            "REPLY_LOST",
            "LATE",
            "locked",
            "lease ended");
    private static final List<String> STATEMENTS = List.of(
            "claim",
            "complete",
            "fail",
            "give-back",
            "snooze",
            "extend",
            "extend-own",
            "guard",
            "checkpoint",
            "reclaim",
            "already-applied",
            "find-held-by-worker",
            "record-late-outcome",
            "cancel",
            "release",
            "retry",
            "fail-by-hand",
            "witness-take",
            "witness-verify",
            "witness-renounce",
            "witness-look",
            "witness-end-leases",
            "leader-expire");

    private static Environment environment;

    @BeforeAll
    static void create() {
        environment = new Environment();
    }

    @AfterAll
    static void close() {
        environment.close();
    }

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
    @Tag("K1")
    @Tag("K3")
    @Tag("K4")
    void everyInvariantHoldsInEverySeed() {
        Long replayed = Long.getLong("konduit.simulation.seed");
        if (replayed != null) {
            replay(replayed);
            return;
        }
        Tally happened = new Tally();
        long end = System.nanoTime() + TIME.toNanos();
        long seeds = 0;
        while (seeds < LEAST_SEEDS || System.nanoTime() - end < 0) {
            happened.addAll(run(++seeds));
        }
        System.out.println(seeds + " seeds: " + happened);
        assertThatAllHappened(happened);
    }

    @Test
    @Tag("long")
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void everyInvariantHoldsInManySeeds() throws Exception {
        Tally happened = new Tally();
        List<Callable<SimulationJvm.Result>> parts = new ArrayList<>();
        try (TestDatabase server = TestDatabase.create()) {
            for (long first = 1; first <= SEEDS_OF_LONG_RUNS; first += SEEDS_OF_A_JVM) {
                long from = first;
                long to = Math.min(SEEDS_OF_LONG_RUNS, first + SEEDS_OF_A_JVM - 1);
                parts.add(() -> SimulationJvm.run(null, server.serverUrl(), from, to));
            }
            List<SimulationJvm.Result> results = SimulationJvm.all(parts);
            assertThat(results).extracting(SimulationJvm.Result::failure).containsOnlyNulls();
            results.forEach(result -> happened.addAll(result.happened()));
        }
        System.out.println(SEEDS_OF_LONG_RUNS + " seeds: " + happened);
        assertThatAllHappened(happened);
    }

    @Test
    void sameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 5; seed++) {
            assertThat(trace(seed)).isNotEmpty().isEqualTo(trace(seed));
        }
    }

    /** Autovacuum holds this lock on a table that it works on. */
    @Test
    void aNewWorldWaitsForAutovacuum() throws Exception {
        SimulatedDatabase database = new SimulatedDatabase();
        ExecutorService autovacuum = Executors.newSingleThreadExecutor();
        try (Connection connection = database.lend();
                Connection other = database.lend();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("lock table simulation.log in share update exclusive mode");
            Future<?> end = autovacuum.submit(() -> {
                await().until(() -> waits(other));
                connection.commit();
                return null;
            });
            database.reset();
            end.get();
        } finally {
            autovacuum.shutdown();
            database.close();
        }
    }

    private static boolean waits(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select exists (select from pg_stat_activity"
                        + " where datname = current_database() and wait_event_type = 'Lock')")) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** A simulation in which nothing happens finds nothing. */
    private static void assertThatAllHappened(Tally happened) {
        for (String what : FAULTS) {
            assertThat(happened.of(what)).as(what).isPositive();
        }
        for (String statement : STATEMENTS) {
            assertThat(happened.of(statement)).as(statement).isPositive();
        }
    }

    private static Tally run(long seed) {
        try {
            return new Simulation(seed, environment, null).run();
        } catch (Simulation.Violation violation) {
            return fail(describe(seed, violation), violation);
        }
    }

    private static void replay(long seed) {
        List<String> trace = new ArrayList<>();
        try {
            new Simulation(seed, environment, trace).run();
        } finally {
            trace.forEach(System.out::println);
        }
    }

    private static List<String> trace(long seed) {
        List<String> trace = new ArrayList<>();
        new Simulation(seed, environment, trace).run();
        return trace;
    }

    /** Runs the seed once more, this time with a trace. */
    private static String describe(long seed, Simulation.Violation violation) {
        List<String> trace = new ArrayList<>();
        try {
            new Simulation(seed, environment, trace).run();
            trace.add("The second run of this seed found nothing.");
        } catch (Simulation.Violation again) {
            trace.add(again.getMessage());
        }
        List<String> shown = trace.subList(Math.max(0, trace.size() - LINES_SHOWN), trace.size());
        return "%s%nReplay it with -Dkonduit.simulation.seed=%d%n  %s"
                .formatted(violation.getMessage(), seed, String.join("\n  ", shown));
    }
}
