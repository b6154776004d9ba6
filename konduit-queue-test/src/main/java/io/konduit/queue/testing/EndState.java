package io.konduit.queue.testing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What a task has left behind: named lists of lines. */
record EndState(Map<String, List<String>> parts) {
    private static final int MAX_LINES = 5;

    /** Reads each part now: a part that changes later is not affected. */
    static EndState read(Map<String, Supplier<List<String>>> sources) {
        Map<String, List<String>> parts = new LinkedHashMap<>();
        sources.forEach((name, source) -> parts.put(name, List.copyOf(source.get())));
        return new EndState(parts);
    }

    /** A value of the application as lines: one per element. */
    static List<String> lines(Object value) {
        return value instanceof Collection<?> many
                ? many.stream().map(String::valueOf).toList()
                : List.of(String.valueOf(value));
    }

    /** What is different here, in lines for people; empty when nothing is. */
    List<String> differencesFrom(EndState expected) {
        List<String> differences = new ArrayList<>();
        parts.forEach((name, found) -> {
            List<String> wanted = expected.parts().getOrDefault(name, List.of());
            if (!found.equals(wanted)) {
                differences.add(name);
                List<String> missing = without(wanted, found);
                List<String> extra = without(found, wanted);
                differences.addAll(listed("missing", missing));
                differences.addAll(listed("unexpected", extra));
                if (missing.isEmpty() && extra.isEmpty()) {
                    differences.add("  in another order: " + String.join(", ", found));
                }
            }
        });
        return differences;
    }

    private static List<String> without(List<String> all, List<String> removed) {
        List<String> left = new ArrayList<>(all);
        removed.forEach(left::remove);
        return left;
    }

    private static List<String> listed(String word, List<String> lines) {
        List<String> listed = new ArrayList<>();
        lines.stream().limit(MAX_LINES).forEach(line -> listed.add("  " + word + ": " + line));
        if (lines.size() > MAX_LINES) {
            listed.add("  " + word + ": " + (lines.size() - MAX_LINES) + " more");
        }
        return listed;
    }
}
