package io.konduit.queue.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * The scripts of this release, and what each of them adds. Scripts that were run by hand leave no history: then the
 * existing objects show which scripts have been run.
 */
final class SchemaScripts {
    static final String FOLDER = "io/konduit/queue/db";
    private static final Pattern FILE = Pattern.compile("V(\\d+)__\\w+\\.sql");
    private static final Pattern COMMENT = Pattern.compile("--[^\\n]*");
    private static final Pattern CREATED = Pattern.compile(
            "\\bcreate\\s+(?:domain|table|(?:unique\\s+)?index)\\s+(?:if\\s+not\\s+exists\\s+)?(konduit_\\w+)");
    private static final Pattern ALTERED = Pattern.compile("\\balter\\s+table\\s+(konduit_\\w+)([^;]*)");
    private static final Pattern COLUMN = Pattern.compile("\\badd\\s+column\\s+(?:if\\s+not\\s+exists\\s+)?(\\w+)");

    private final List<String> locations;
    /**
     * What each script adds: {@code domain}, {@code table}, {@code index} or {@code table.column}. Empty for a script
     * that only removes or changes objects.
     */
    private final NavigableMap<Integer, Set<String>> additions = new TreeMap<>();

    SchemaScripts(List<String> locations, NavigableMap<Integer, String> scripts) {
        this.locations = locations;
        scripts.forEach((version, script) -> additions.put(version, additions(script)));
    }

    /** The scripts of this release. */
    static SchemaScripts read() {
        return read(FOLDER);
    }

    /** @param folders of the class path */
    static SchemaScripts read(String... folders) {
        List<String> locations =
                Stream.of(folders).map(folder -> "classpath:" + folder).toList();
        NavigableMap<Integer, String> scripts = new TreeMap<>();
        try {
            for (String location : locations) {
                for (Resource script : new PathMatchingResourcePatternResolver(SchemaScripts.class.getClassLoader())
                        .getResources(location + "/V*.sql")) {
                    Matcher file = FILE.matcher(String.valueOf(script.getFilename()));
                    if (file.matches()) {
                        scripts.put(Integer.valueOf(file.group(1)), script.getContentAsString(StandardCharsets.UTF_8));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The scripts of the queue cannot be read.", e);
        }
        return new SchemaScripts(locations, scripts);
    }

    /** Where Flyway finds them. */
    String[] locations() {
        return locations.toArray(String[]::new);
    }

    /** The version of the newest script; 0 without scripts. */
    int newest() {
        return additions.isEmpty() ? 0 : additions.lastKey();
    }

    /** The first script that is newer than this version; the newest script if there is none. */
    int firstAfter(int version) {
        Integer next = additions.higherKey(version);
        return next == null ? newest() : next;
    }

    /** The newest script whose objects all exist; 0 when there is none. */
    int versionOf(Collection<String> present) {
        for (int version : additions.descendingKeySet()) {
            Set<String> added = additions.get(version);
            if (added != null && !added.isEmpty() && present.containsAll(added)) {
                return version;
            }
        }
        return 0;
    }

    /** Whether everything that the newest additions created exists. */
    boolean isCurrent(Collection<String> present) {
        return additions.descendingMap().values().stream()
                .filter(added -> !added.isEmpty())
                .findFirst()
                .map(present::containsAll)
                .orElse(true);
    }

    /** The objects of the first script that do not exist. */
    List<String> missingFromTheFirst(Collection<String> present) {
        return additions.isEmpty()
                ? List.of()
                : additions.firstEntry().getValue().stream()
                        .filter(added -> !present.contains(added))
                        .toList();
    }

    private static Set<String> additions(String script) {
        String sql = COMMENT.matcher(script).replaceAll("").toLowerCase(java.util.Locale.ROOT);
        Set<String> added = new TreeSet<>();
        Matcher created = CREATED.matcher(sql);
        while (created.find()) {
            added.add(created.group(1));
        }
        Matcher altered = ALTERED.matcher(sql);
        while (altered.find()) {
            Matcher column = COLUMN.matcher(altered.group(2));
            while (column.find()) {
                added.add(altered.group(1) + "." + column.group(1));
            }
        }
        return added;
    }
}
