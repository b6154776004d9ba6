package io.konduit.queue.build;

import static io.konduit.queue.build.DeclaredBuild.UNNAMED;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code gradle/libs.versions.toml}, one entry a line; a line of another form is an error. */
final class VersionCatalog {
    static final String FILE = "gradle/libs.versions.toml";

    private static final Pattern SECTION = Pattern.compile("\\[(versions|libraries|plugins)]");
    private static final Pattern VERSION = Pattern.compile("([\\w-]+) *= *\"([^\"]+)\"");
    private static final Pattern ENTRY = Pattern.compile(
            "([\\w-]+) *= *\\{ *(?:module|id) *= *\"([^\"]+)\" *(?:, *version(\\.ref)? *= *\"([^\"]+)\" *)?}");

    /** Coordinates or plugin id, and version. */
    record Entry(String id, String version) {}

    final SortedMap<String, String> versions = new TreeMap<>();
    /** By accessor: {@code spring-tx} is found as {@code spring.tx}. */
    final SortedMap<String, Entry> libraries = new TreeMap<>();
    /** By plugin id. */
    final SortedMap<String, Entry> plugins = new TreeMap<>();

    static VersionCatalog read(BuildFiles files) {
        VersionCatalog catalog = new VersionCatalog();
        String section = "";
        for (String line : files.text(FILE).lines().map(String::strip).toList()) {
            Matcher header = SECTION.matcher(line);
            if (header.matches()) {
                section = header.group(1);
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                catalog.add(section, line);
            }
        }
        return catalog;
    }

    private void add(String section, String line) {
        Matcher entry = (section.equals("versions") ? VERSION : ENTRY).matcher(line);
        if (section.isEmpty() || !entry.matches()) {
            throw new IllegalStateException(FILE + ": '" + line + "' is not understood. Write 'name = \"version\"' or "
                    + "'name = { module = \"group:artifact\", version.ref = \"name\" }' on one line.");
        }
        if (section.equals("versions")) {
            versions.put(entry.group(1), entry.group(2));
            return;
        }
        String version = entry.group(4) == null ? UNNAMED : entry.group(4);
        if (entry.group(3) != null) {
            version = versions.get(entry.group(4));
            if (version == null) {
                throw new IllegalStateException(
                        FILE + ": '" + line + "' refers to a version that stands nowhere above. Add it to [versions].");
            }
        }
        if (section.equals("libraries")) {
            libraries.put(entry.group(1).replaceAll("[-_]", "."), new Entry(entry.group(2), version));
        } else {
            plugins.put(entry.group(2), new Entry(entry.group(2), version));
        }
    }
}
