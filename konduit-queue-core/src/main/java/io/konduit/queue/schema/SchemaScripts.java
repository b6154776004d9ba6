package io.konduit.queue.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * The scripts of this version, and what each of them adds. Whoever runs them by hand leaves no history behind: then the
 * tables and columns themselves tell which scripts have been run.
 */
final class SchemaScripts {
    static final String FOLDER = "io/konduit/queue/db";
    private static final Pattern FILE = Pattern.compile("V(\\d+)__\\w+\\.sql");
    private static final Pattern COMMENT = Pattern.compile("--[^\\n]*");
    private static final Pattern RELATION = Pattern.compile(
            "\\bcreate\\s+(?:table|(?:unique\\s+)?index)\\s+(?:if\\s+not\\s+exists\\s+)?(konduit_\\w+)");
    private static final Pattern ALTERED = Pattern.compile("\\balter\\s+table\\s+(konduit_\\w+)([^;]*)");
    private static final Pattern COLUMN = Pattern.compile("\\badd\\s+column\\s+(?:if\\s+not\\s+exists\\s+)?(\\w+)");

    /** What each script adds: {@code table} or {@code table.column}. Empty for one that only removes or changes. */
    private final NavigableMap<Integer, Set<String>> additions = new TreeMap<>();

    SchemaScripts(NavigableMap<Integer, String> scripts) {
        scripts.forEach((version, script) -> additions.put(version, additions(script)));
    }

    static SchemaScripts read() {
        NavigableMap<Integer, String> scripts = new TreeMap<>();
        try {
            for (Resource script : new PathMatchingResourcePatternResolver(SchemaScripts.class.getClassLoader())
                    .getResources("classpath:" + FOLDER + "/V*.sql")) {
                Matcher file = FILE.matcher(String.valueOf(script.getFilename()));
                if (file.matches()) {
                    scripts.put(Integer.valueOf(file.group(1)), script.getContentAsString(StandardCharsets.UTF_8));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The scripts of the queue cannot be read.", e);
        }
        return new SchemaScripts(scripts);
    }

    /** The version of the newest script; 0 without scripts. */
    int newest() {
        return additions.isEmpty() ? 0 : additions.lastKey();
    }

    /** The newest script of which everything is there; 0 when that is true of none. */
    int versionOf(Collection<String> present) {
        for (int version : additions.descendingKeySet()) {
            Set<String> added = additions.get(version);
            if (added != null && !added.isEmpty() && present.containsAll(added)) {
                return version;
            }
        }
        return 0;
    }

    /** Whether everything that the newest additions brought is there. */
    boolean isCurrent(Collection<String> present) {
        return additions.descendingMap().values().stream()
                .filter(added -> !added.isEmpty())
                .findFirst()
                .map(present::containsAll)
                .orElse(true);
    }

    private static Set<String> additions(String script) {
        String sql = COMMENT.matcher(script).replaceAll("").toLowerCase(java.util.Locale.ROOT);
        Set<String> added = new TreeSet<>();
        Matcher relation = RELATION.matcher(sql);
        while (relation.find()) {
            added.add(relation.group(1));
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
