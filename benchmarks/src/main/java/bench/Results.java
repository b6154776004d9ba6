package bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.StreamSupport;

/** The figures of one or more runs. A figure measured several times counts with its median. */
final class Results {
    record Key(String workload, String variant, String unit) {}

    private final Map<Key, Map<String, List<JsonNode>>> figures = new LinkedHashMap<>();
    private final List<String> lines = new ArrayList<>();
    private JsonNode header;

    Results(List<Path> files) throws Exception {
        var json = new ObjectMapper();
        for (Path file : files) {
            for (String line : Files.readAllLines(file)) {
                lines.add(line);
                JsonNode node = json.readTree(line);
                if (node.has("header")) header = node.path("header");
                else add(node);
            }
        }
    }

    private void add(JsonNode node) {
        var key = new Key(
                node.path("workload").asText(),
                node.path("params").path("variant").asText(),
                node.path("unit").asText());
        figures.computeIfAbsent(key, k -> new LinkedHashMap<>())
                .computeIfAbsent(node.path("system").asText(), k -> new ArrayList<>())
                .add(node);
    }

    JsonNode header() {
        return header;
    }

    List<String> lines() {
        return lines;
    }

    List<Key> keys() {
        return List.copyOf(figures.keySet());
    }

    OptionalDouble value(String system, Key key) {
        double[] values = figures.getOrDefault(key, Map.of()).getOrDefault(system, List.of()).stream()
                .mapToDouble(node -> node.path("value").asDouble())
                .toArray();
        return values.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(Out.median(values));
    }

    /** NaN when it was not measured, which no comparison is true for. */
    double value(String system, String workload, String variant) {
        return keys().stream()
                .filter(key -> key.workload().equals(workload) && key.variant().equals(variant))
                .findFirst()
                .map(key -> value(system, key).orElse(Double.NaN))
                .orElse(Double.NaN);
    }

    /** Whether it is a bound that was not reached. */
    boolean isBound(String system, Key key) {
        return figures.getOrDefault(key, Map.of()).getOrDefault(system, List.of()).stream()
                .anyMatch(node -> !node.path("params").path("measured").asBoolean(true));
    }

    /** A parameter of the first such figure. */
    JsonNode parameter(String system, String workload, String variant, String name) {
        return keys().stream()
                .filter(key -> key.workload().equals(workload) && key.variant().equals(variant))
                .flatMap(key -> figures.get(key).getOrDefault(system, List.of()).stream())
                .findFirst()
                .map(node -> node.path("params").path(name))
                .orElseGet(() -> new ObjectMapper().missingNode());
    }

    /** Every repetition of a figure. */
    double[] repetitions(String system, Key key) {
        return figures.getOrDefault(key, Map.of()).getOrDefault(system, List.of()).stream()
                .flatMap(node ->
                        StreamSupport.stream(node.path("params").path("reps").spliterator(), false))
                .mapToDouble(JsonNode::asDouble)
                .toArray();
    }
}
