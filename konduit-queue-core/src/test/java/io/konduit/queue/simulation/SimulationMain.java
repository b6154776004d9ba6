package io.konduit.queue.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs seeds until one fails: {@code SimulationMain <first> <last>}. A single seed prints its trace. For a class path on
 * which statements are broken on purpose.
 */
public final class SimulationMain {
    static final String FAILED = "FAILED after ";

    private SimulationMain() {}

    public static void main(String[] arguments) {
        long first = Long.parseLong(arguments[0]);
        long last = Long.parseLong(arguments[1]);
        List<String> trace = first == last ? new ArrayList<>() : null;
        boolean failed = false;
        Tally happened = new Tally();
        long begun = System.nanoTime();
        try (Environment environment = new Environment()) {
            for (long seed = first; seed <= last && !failed; seed++) {
                try {
                    happened.addAll(new Simulation(seed, environment, trace).run());
                } catch (Simulation.Violation e) {
                    failed = true;
                    System.out.println(FAILED + (seed - first + 1) + " seeds: "
                            + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
                }
            }
        }
        if (trace != null) {
            trace.forEach(System.out::println);
        }
        System.out.print(happened.lines());
        System.out.println("Took " + (System.nanoTime() - begun) / 1_000_000 + " ms");
        System.exit(failed ? 1 : 0);
    }
}
