package bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which system takes part in which workload. */
final class Plan {
    static final List<String> SYSTEMS =
            List.of("raw-sql", "konduit", "db-scheduler-lock", "db-scheduler-fetch", "jobrunr", "quartz");
    private static final List<String> QUEUES = List.of("raw-sql", "konduit", "db-scheduler-lock", "jobrunr");

    /** One JVM. Those of a group run side by side: they mostly wait. */
    record Run(String system, String workload, List<String> arguments, String group) {
        static Run alone(String system, String workload, String... arguments) {
            return new Run(system, workload, List.of(arguments), "");
        }

        String database() {
            return (system + "-" + workload + "-" + String.join("-", arguments)).toLowerCase();
        }

        @Override
        public String toString() {
            return system + " " + workload + " " + String.join(" ", arguments);
        }
    }

    private Plan() {}

    /** A quick run measures nothing, so all systems may run at once. */
    static Map<String, List<Run>> workloads(boolean quick) {
        Map<String, List<Run>> plan = new LinkedHashMap<>();
        plan.put("enqueue_single", each(SYSTEMS, "enqueue_single"));
        plan.put("enqueue_bulk", each(SYSTEMS, "enqueue_bulk"));
        plan.put("drain_noop", each(SYSTEMS, "drain_noop"));
        plan.put("drain_5ms", each(SYSTEMS, "drain_5ms"));
        plan.put("steady", each(QUEUES, "steady"));
        plan.put("same_load", each(SYSTEMS, "same_load"));
        plan.put("latency", latency());
        plan.put("scaling", each(QUEUES, "drain_scaling"));
        plan.put("future", each(List.of("konduit"), "future_tasks"));
        plan.put("open_transaction", each(List.of("raw-sql", "konduit", "db-scheduler-lock"), "open_transaction"));
        plan.put("processes", each(List.of("raw-sql", "konduit", "db-scheduler-lock"), "processes"));
        // side by side as below; konduit is alone, because its goal is in tenths of a percent
        plan.put(
                "idle",
                SYSTEMS.stream()
                        .flatMap(s -> List.of("DEFAULT", "LATENCY").stream()
                                .map(profile ->
                                        new Run(s, "idle", List.of(profile), s.equals("konduit") ? "" : "idle")))
                        .toList());
        plan.put("notify", each(List.of("konduit"), "notify"));
        plan.put("starter", each(List.of("raw-sql", "konduit", "db-scheduler-lock", "jobrunr", "quartz"), "starter"));
        plan.put("memory", each(List.of("konduit", "db-scheduler-lock", "jobrunr"), "memory"));
        // peers wait side by side; konduit is alone, because its goal is in tenths of a second
        plan.put(
                "crash",
                List.of("konduit", "db-scheduler-lock", "db-scheduler-fetch", "jobrunr", "quartz").stream()
                        .map(s -> new Run(s, "crash_recovery", List.of("RECOVERY"), s.equals("konduit") ? "" : "crash"))
                        .toList());
        plan.put("reclaim", each(List.of("konduit"), "reclaim"));
        plan.put("history", each(List.of("konduit"), "history"));
        plan.put("schedules", each(List.of("konduit"), "schedules"));
        plan.put("profile", each(List.of("raw-sql", "konduit"), "profile"));
        if (quick) {
            plan.replaceAll((name, runs) -> runs.stream()
                    .map(run -> new Run(run.system(), run.workload(), run.arguments(), name))
                    .toList());
        }
        return plan;
    }

    private static List<Run> each(List<String> systems, String workload) {
        return systems.stream().map(s -> Run.alone(s, workload)).toList();
    }

    private static List<Run> latency() {
        return SYSTEMS.stream()
                .flatMap(s -> List.of("DEFAULT", "LATENCY").stream().map(p -> Run.alone(s, "pickup_latency", p)))
                .toList();
    }
}
