package bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the queue wants to reach, in ratios of one run, and whether it did. */
final class Goals {
    private static final String US = "konduit";
    private static final List<String> PEERS = List.of("db-scheduler-lock", "db-scheduler-fetch", "jobrunr", "quartz");

    private final Results results;
    private final List<String> rows = new ArrayList<>();

    Goals(Results results) {
        this.results = results;
    }

    String table() {
        double drain = of(US, "drain_noop", "16 threads");
        double dbScheduler = Math.max(
                orZero(of("db-scheduler-lock", "drain_noop", "16 threads")),
                orZero(of("db-scheduler-fetch", "drain_noop", "16 threads")));
        least("drain no-op, 16 slots, over db-scheduler's best", drain / dbScheduler, 5);
        least("drain no-op over JobRunr", drain / of("jobrunr", "drain_noop", "16 threads"), 10);
        least("drain no-op over the raw limit", drain / of("raw-sql", "drain_noop", "16 threads"), 0.5);
        least(
                "drain of 5 ms handlers, 16 slots, over the ideal",
                of(US, "drain_5ms", "16 threads") / (Lab.THREADS * 200.0),
                0.95);
        double single = of(US, "enqueue_single", "4 threads");
        least("single enqueue over raw", single / of("raw-sql", "enqueue_single", "4 threads"), 0.9);
        least(
                "bulk enqueue over raw",
                of(US, "enqueue_bulk", "one thread") / of("raw-sql", "enqueue_bulk", "one thread"),
                0.6);
        atMost("pickup from another process, default settings, p50 in ms", of(US, "pickup_latency", "default p50"), 5);
        atMost("the same, p99 in ms", of(US, "pickup_latency", "default p99"), 25);
        least(
                "single enqueue with wake-ups over without",
                single / of(US, "enqueue_single", "4 threads, wake-ups off"),
                0.9);
        atMost(
                "p99 from enqueue to end at the same load, over the best peer's, worst of three loads",
                sameLoad(" p99"),
                0.1);
        atMost(
                "processor time per task at the same load, over the least of the peers', worst of three loads",
                sameLoad(", both"),
                1);
        double last = of(US, "crash_recovery", "last");
        atMost("recovery after kill -9, first of 100 tasks, in s", of(US, "crash_recovery", "first"), 3.5);
        atMost("the same, last of 100, in s", last, 4.5);
        atMost("the same, over the best peer's last", last / least("crash_recovery", "last"), 1);
        double drain10k = of(US, "drain_scaling", "10k waiting");
        least("drain rate at 1M waiting over 10k", of(US, "drain_scaling", "1M waiting") / drain10k, 0.9);
        least("drain rate at 10M waiting over 10k", of(US, "drain_scaling", "10M waiting") / drain10k, 0.9);
        least(
                "drain with 1M future tasks of a better priority over without",
                of(US, "future_tasks", "with future tasks") / of(US, "future_tasks", "undisturbed"),
                0.7);
        least(
                "500k tasks under an open transaction over without (the worse of all and the last fifth)",
                Math.min(open(""), open(", last fifth")),
                0.7);
        least("two processes over one", of(US, "processes", "2 processes") / of(US, "processes", "1 process"), 1.0);
        atMost("tasks that ran twice with 1, 2 and 4 processes", twice(), 0);
        atMost("idle worker, statements per second", of(US, "idle", "default"), 2);
        atMost("idle worker, % of a core", of(US, "idle", "default CPU"), 1);
        least("reclaim of 100 000 orphans, per second", of(US, "reclaim", "orphans"), 20_000);
        least("completions at a constant rate, last minute over the first", of(US, "history", "last to first"), 0.95);
        atMost("greatest size of the history over its retention", of(US, "history", "greatest size to retention"), 1.5);
        atMost(
                "10 000 schedules, 100 firings per second: lateness, p50 in ms",
                of(US, "schedules", "lateness p50"),
                100);
        atMost("the same, the latest of all, in ms", of(US, "schedules", "latest"), 1_000);
        return "| goal | wanted | measured | |\n|---|---:|---:|---|\n" + String.join("", rows);
    }

    /** The least of the peers that were measured. */
    private double least(String workload, String variant) {
        return PEERS.stream()
                .mapToDouble(peer -> of(peer, workload, variant))
                .filter(Double::isFinite)
                .min()
                .orElse(Double.NaN);
    }

    private double sameLoad(String which) {
        double worst = Double.NaN;
        for (String load : List.of("200/s", "1,000/s", "2,000/s")) {
            double ratio = of(US, "same_load", load + which) / least("same_load", load + which);
            if (Double.isFinite(ratio)) worst = Double.isNaN(worst) ? ratio : Math.max(worst, ratio);
        }
        return worst;
    }

    private double open(String which) {
        return of(US, "open_transaction", "transaction held open" + which)
                / of(US, "open_transaction", "undisturbed" + which);
    }

    private double twice() {
        double sum = 0;
        for (String variant : List.of("1 process", "2 processes", "4 processes")) {
            sum += results.parameter(US, "processes", variant, "ran_twice").asDouble(Double.NaN);
        }
        return sum;
    }

    private double of(String system, String workload, String variant) {
        return results.value(system, workload, variant);
    }

    private static double orZero(double value) {
        return Double.isNaN(value) ? 0 : value;
    }

    private void least(String goal, double measured, double wanted) {
        row(goal, "≥ " + text(wanted), measured, measured >= wanted);
    }

    private void atMost(String goal, double measured, double wanted) {
        row(goal, "≤ " + text(wanted), measured, measured <= wanted);
    }

    private void row(String goal, String wanted, double measured, boolean met) {
        rows.add(
                Double.isFinite(measured)
                        ? "| %s | %s | %s | %s |\n".formatted(goal, wanted, text(measured), met ? "met" : "**missed**")
                        : "| %s | %s | not measured | |\n".formatted(goal, wanted));
    }

    static String text(double value) {
        String format = Math.abs(value) >= 100 ? "%,.0f" : Math.abs(value) >= 10 ? "%.1f" : "%.2f";
        String text = String.format(Locale.ROOT, format, value);
        return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
    }
}
