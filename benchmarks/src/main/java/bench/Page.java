package bench;

import bench.Results.Key;
import bench.Svg.Bar;
import bench.Svg.Line;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** The report: goals, plots, all figures, and where they come from. */
final class Page {
    private static final String BEGIN = "<!-- results: written by benchmarks/run.sh -->";
    private static final String END = "<!-- end of results -->";
    private static final String US = "konduit";

    private final Results results;
    private final List<String> plots = new ArrayList<>();

    private Page(Results results) {
        this.results = results;
    }

    /** Writes a report by itself. */
    static void write(Path directory, List<Path> files) throws Exception {
        Files.createDirectories(directory);
        var page = new Page(new Results(files));
        page.writePlots(directory.resolve("benchmarks"));
        Files.writeString(directory.resolve("benchmarks.md"), "# Benchmarks\n\n" + page.text());
    }

    /** Rewrites the results in the documentation and keeps their figures next to it. */
    static void publish(Path docs, List<Path> files) throws Exception {
        var results = new Results(files);
        var page = new Page(results);
        page.writePlots(docs.resolve("benchmarks"));
        Files.writeString(
                docs.resolve("benchmarks/results.json"), "[\n" + String.join(",\n", results.lines()) + "\n]\n");
        Path target = docs.resolve("benchmarks.md");
        String old = Files.readString(target);
        int begin = old.indexOf(BEGIN), end = old.indexOf(END);
        if (begin < 0 || end < begin) throw new IllegalStateException(target + " has no markers for the results");
        Files.writeString(
                target, old.substring(0, begin + BEGIN.length()) + "\n\n" + page.text() + "\n" + old.substring(end));
    }

    private String text() {
        var text = new StringBuilder();
        JsonNode header = results.header();
        text.append("Measured on %s%s.\n\n"
                .formatted(
                        header.path("date").asText(),
                        header.path("mode").asText().equals("quick")
                                ? ", a quick run: it shows that everything runs, its figures mean nothing"
                                : ""));
        text.append("### Goals\n\n").append(new Goals(results).table()).append('\n');
        if (!plots.isEmpty()) {
            text.append("### Plots\n\n");
            plots.forEach(plot -> text.append("![%s](benchmarks/%s.svg)\n\n".formatted(plot.replace('-', ' '), plot)));
        }
        text.append("### All figures\n\n");
        text.append(
                "In brackets: how many times konduit's figure this is; for times, loads and memory less is better.\n\n");
        text.append(figures()).append('\n');
        text.append("### Where\n\n").append(where(header));
        return text.toString();
    }

    private List<String> systems() {
        return Plan.SYSTEMS.stream()
                .filter(system -> results.keys().stream()
                        .anyMatch(key -> results.value(system, key).isPresent()))
                .toList();
    }

    private String figures() {
        List<String> systems = systems();
        var table = new StringBuilder("| workload | | unit | " + String.join(" | ", systems) + " |\n");
        table.append("|---|---|---|").append("---:|".repeat(systems.size())).append('\n');
        for (Key key : results.keys()) {
            table.append("| %s | %s | %s |".formatted(key.workload(), key.variant(), key.unit()));
            OptionalDouble ours = results.value(US, key);
            for (String system : systems) {
                OptionalDouble value = results.value(system, key);
                table.append(value.isEmpty() ? " |" : " " + cell(system, key, value.getAsDouble(), ours) + " |");
            }
            table.append('\n');
        }
        return table.toString();
    }

    private String cell(String system, Key key, double value, OptionalDouble ours) {
        String text = (results.isBound(system, key) ? "> " : "") + Goals.text(value);
        if (system.equals(US)) return "**" + text + "**" + spread(key);
        return ours.isEmpty() || ours.getAsDouble() <= 0
                ? text
                : text + " (" + Goals.text(value / ours.getAsDouble()) + ")";
    }

    /** The range of the repetitions. */
    private String spread(Key key) {
        double[] all = results.repetitions(US, key);
        if (all.length < 2) return "";
        double least = java.util.Arrays.stream(all).min().orElse(0);
        double greatest = java.util.Arrays.stream(all).max().orElse(0);
        return " " + Goals.text(least) + "–" + Goals.text(greatest);
    }

    private static String where(JsonNode header) {
        var text = new StringBuilder();
        for (String part : List.of("machine", "versions", "postgres")) {
            text.append("- ").append(part).append(": ");
            List<String> facts = new ArrayList<>();
            header.path(part)
                    .fields()
                    .forEachRemaining(
                            e -> facts.add(e.getKey() + " " + e.getValue().asText()));
            text.append(String.join(", ", facts)).append('\n');
        }
        text.append("\n| system | for | settings |\n|---|---|---|\n");
        header.path("systems").fields().forEachRemaining(system -> system.getValue()
                .fields()
                .forEachRemaining(profile -> text.append("| %s | %s | %s |\n"
                        .formatted(
                                system.getKey(),
                                profile.getKey(),
                                profile.getValue().asText()))));
        return text.toString();
    }

    // ---- plots --------------------------------------------------------------------------------

    private void writePlots(Path directory) throws IOException {
        Files.createDirectories(directory);
        bars(directory, "drain-no-op", "Drain of no-op tasks, tasks per second", "drain_noop", "16 threads", false);
        bars(directory, "drain-5ms", "Drain of 5 ms handlers, tasks per second", "drain_5ms", "16 threads", false);
        bars(directory, "enqueue-single", "Single enqueue, tasks per second", "enqueue_single", "4 threads", false);
        bars(directory, "enqueue-bulk", "Bulk enqueue, tasks per second", "enqueue_bulk", "one thread", false);
        bars(
                directory,
                "pickup-latency",
                "Pickup from another process, default settings, p50 in ms",
                "pickup_latency",
                "default p50",
                true);
        bars(
                directory,
                "pickup-latency-fastest",
                "Pickup from another process, fastest settings, p50 in ms",
                "pickup_latency",
                "fastest p50",
                true);
        bars(directory, "crash-recovery", "Last of 100 tasks back after kill -9, in s", "crash_recovery", "last", true);
        lines(directory, "backlog", "Drain rate over waiting tasks", "drain_scaling");
        lines(directory, "processes", "Worker processes, tasks per second over all", "processes");
        portions(directory);
    }

    private void bars(Path directory, String name, String title, String workload, String variant, boolean lowIsGood)
            throws IOException {
        List<Bar> bars = new ArrayList<>();
        for (String system : Plan.SYSTEMS) {
            double value = results.value(system, workload, variant);
            if (Double.isFinite(value)) bars.add(new Bar(system, system, value));
        }
        bars.sort((a, b) -> lowIsGood ? Double.compare(a.value(), b.value()) : Double.compare(b.value(), a.value()));
        if (!bars.isEmpty()) save(directory, name, Svg.bars(title, bars, lowIsGood));
    }

    private void lines(Path directory, String name, String title, String workload) throws IOException {
        List<String> steps = results.keys().stream()
                .filter(key -> key.workload().equals(workload))
                .map(Key::variant)
                .toList();
        Map<String, double[]> lines = new LinkedHashMap<>();
        for (String system : Plan.SYSTEMS) {
            double[] values = steps.stream()
                    .mapToDouble(step -> results.value(system, workload, step))
                    .toArray();
            if (java.util.Arrays.stream(values).anyMatch(Double::isFinite)) lines.put(system, values);
        }
        if (!lines.isEmpty()) save(directory, name, Svg.lines(title, "tasks per second", steps, asLines(lines)));
    }

    private static List<Line> asLines(Map<String, double[]> lines) {
        return lines.entrySet().stream()
                .map(e -> new Line(e.getKey(), e.getValue()))
                .toList();
    }

    private void portions(Path directory) throws IOException {
        Map<String, double[]> lines = new LinkedHashMap<>();
        for (String system : Plan.SYSTEMS) {
            JsonNode portions = results.parameter(system, "open_transaction", "transaction held open", "portions");
            if (portions.isArray()) {
                double[] rates = new double[10];
                // a system that was stopped has fewer
                for (int i = 0; i < rates.length; i++)
                    rates[i] = portions.path(i).asDouble(Double.NaN);
                lines.put(system, rates);
            }
        }
        if (lines.isEmpty()) return;
        int jobs = results.parameter(US, "open_transaction", "transaction held open", "jobs")
                .asInt(500_000);
        List<String> steps = new ArrayList<>();
        for (int i = 1; i <= 10; i++)
            steps.add(String.format(Locale.ROOT, "%dk", (int) Math.round(jobs / 10_000.0 * i)));
        save(
                directory,
                "open-transaction",
                Svg.lines(
                        "While a transaction is held open",
                        "tasks per second, over tasks passed",
                        steps,
                        asLines(lines)));
    }

    private void save(Path directory, String name, String svg) throws IOException {
        Files.writeString(directory.resolve(name + ".svg"), svg);
        plots.add(name);
    }
}
