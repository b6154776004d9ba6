package bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@code Report results.jsonl [base]}: a Markdown table; with a base system also its ratio to every other. */
public final class Report {
    public static void main(String[] a) throws Exception {
        var json = new ObjectMapper();
        Map<String, Map<String, JsonNode>> rows = new LinkedHashMap<>();
        Set<String> systems = new LinkedHashSet<>();
        for (String l : Files.readAllLines(Path.of(a[0]))) {
            if (!l.startsWith("{")) continue;
            JsonNode n = json.readTree(l);
            if (n.path("workload").asText().matches("raw_limit|commit_rate")) continue;
            systems.add(n.path("system").asText());
            String key = n.path("workload").asText() + " | "
                    + n.path("params").path("variant").asText() + " | "
                    + n.path("unit").asText();
            rows.computeIfAbsent(key, k -> new LinkedHashMap<>())
                    .put(n.path("system").asText(), n);
        }
        String base = a.length > 1 ? a[1] : null;
        System.out.println("| workload | variant | unit | " + String.join(" | ", systems) + " |");
        System.out.println("|---|---|---|" + "---:|".repeat(systems.size()));
        rows.forEach((key, bySystem) -> {
            List<String> cells = new ArrayList<>();
            for (String s : systems)
                cells.add(cell(bySystem.get(s), base == null || s.equals(base) ? null : bySystem.get(base)));
            System.out.println("| " + key + " | " + String.join(" | ", cells) + " |");
        });
    }

    /** The figure; with a base, how many times better (rates) or worse (times, loads) the base is as plain quotient. */
    private static String cell(JsonNode n, JsonNode base) {
        if (n == null) return "";
        double v = n.path("value").asDouble();
        String s = (n.path("params").path("measured").asBoolean(true) ? "" : "≤ ")
                + (v >= 100 ? "%,.0f" : v >= 10 ? "%.1f" : "%.2f").formatted(v);
        return base == null
                ? s
                : s + " (base/this %.2f)".formatted(base.path("value").asDouble() / v);
    }
}
