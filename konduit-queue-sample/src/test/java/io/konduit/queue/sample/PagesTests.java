package io.konduit.queue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the pages say of files and settings is true. */
class PagesTests {
    private static final Path ROOT = Path.of("..");
    private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```$");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern PROPERTY_ROW = Pattern.compile("(?m)^\\| `([a-z.-]+)` \\| (?:`([^`]*)` )?\\|");
    private static final Pattern YAML = Pattern.compile("(?ms)^```yaml\\n(.*?)^```$");
    private static final Pattern VARIABLE = Pattern.compile("KONDUIT_QUEUE_\\w+");
    private static final Pattern NAME_AND_DEFAULT = Pattern.compile("`(konduit\\.queue\\.[a-z.-]+)` \\(`(\\w+)`");
    private static final String PREFIX = "konduit.queue.";

    static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linksResolve(Path page) {
        assertThat(brokenLinks(page, read(page))).isEmpty();
    }

    @Test
    void noticesAFileAndAHeadingThatAreNotThere() {
        String text = "# Top\n[a](#top) [b](#bottom) [c](LICENSE) [d](missing.md) [e](README.md#nowhere)\n";
        assertThat(brokenLinks(ROOT.resolve("page.md"), text))
                .containsExactly("#bottom", "missing.md", "README.md#nowhere");
    }

    @Test
    void everyPageIsInTheIndex() throws IOException {
        Path index = ROOT.resolve("docs/README.md");
        String text = read(index);
        assertThat(pages())
                .filteredOn(page -> page.getParent().equals(index.getParent()) && !page.equals(index))
                .hasSizeGreaterThan(8)
                .allSatisfy(page -> assertThat(text).contains("(" + page.getFileName()));
    }

    @Test
    void propertiesHaveTheDefaultsThatThePageListsFirst() throws IOException {
        String page = read(ROOT.resolve("docs/configuration.md"));
        String section = page.substring(page.indexOf("\n## Ten properties worth knowing\n"));
        Map<String, String> listed = new LinkedHashMap<>();
        for (MatchResult row : PROPERTY_ROW
                .matcher(section.substring(0, section.indexOf("\n## ", 1)))
                .results()
                .toList()) {
            listed.put(PREFIX + row.group(1), row.group(2) == null ? "" : row.group(2));
        }

        assertThat(listed).hasSize(10);
        Map<String, String> defaults = defaults();
        assertThat(listed).allSatisfy((name, value) -> assertThat(defaults.getOrDefault(name, ""))
                .isEqualTo(value));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void settingsInYamlExist(Path page) throws IOException {
        Set<String> known = defaults().keySet();
        assertThat(settings(read(page)))
                .allSatisfy(name ->
                        assertThat(known).as(name).anyMatch(each -> name.equals(each) || name.startsWith(each + ".")));
    }

    /** In environment variables Spring Boot expects a name without its hyphens. */
    @ParameterizedTest
    @MethodSource("pages")
    void environmentVariablesAreSettings(Path page) throws IOException {
        List<String> known = defaults().keySet().stream()
                .map(name -> name.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT))
                .toList();
        assertThat(VARIABLE.matcher(read(page)).results().map(MatchResult::group))
                .isSubsetOf(known);
    }

    @Test
    void thePageForUsersOfOtherLibrariesNamesOurDefaults() throws IOException {
        Map<String, String> defaults = defaults();
        List<MatchResult> named = NAME_AND_DEFAULT
                .matcher(read(ROOT.resolve("docs/coming-from.md")))
                .results()
                .toList();
        assertThat(named).hasSizeGreaterThan(15).allSatisfy(each -> assertThat(defaults)
                .containsEntry(each.group(1), each.group(2)));
    }

    @Test
    void noticesASettingThatDoesNotExist() {
        assertThat(settings("```yaml\nkonduit:\n  queue:\n    worker: {slots: 3}\n---\nspring: {x: 1}\n```\n"))
                .containsExactly("konduit.queue.worker.slots");
    }

    /** The names of the queue's settings in the YAML of a page. */
    private static List<String> settings(String page) {
        List<String> names = new ArrayList<>();
        for (MatchResult block : YAML.matcher(page).results().toList()) {
            for (Object document : new Yaml().loadAll(block.group(1))) {
                flatten("", document, names);
            }
        }
        return names.stream().filter(name -> name.startsWith(PREFIX)).toList();
    }

    private static void flatten(String name, Object value, List<String> names) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, below) -> flatten(name.isEmpty() ? "" + key : name + "." + key, below, names));
        } else {
            names.add(name);
        }
    }

    private static List<String> brokenLinks(Path page, String text) {
        return LINK.matcher(CODE.matcher(text).replaceAll(""))
                .results()
                .map(link -> link.group(1))
                .filter(link -> !link.startsWith("https://") && !resolves(page, text, link))
                .toList();
    }

    private static boolean resolves(Path page, String text, String link) {
        String[] fileAndHeading = link.split("#", 2);
        Path file = fileAndHeading[0].isEmpty() ? page : page.resolveSibling(fileAndHeading[0]);
        if (fileAndHeading.length == 1) {
            return Files.exists(file);
        }
        String target = file.equals(page) ? text : Files.exists(file) ? read(file) : "";
        return headingsOf(target).contains(fileAndHeading[1]);
    }

    /** As GitHub makes anchors of headings: lower case, without punctuation, with hyphens for spaces. */
    private static List<String> headingsOf(String page) {
        return CODE.matcher(page)
                .replaceAll("")
                .lines()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    private static Map<String, String> defaults() throws IOException {
        Map<String, String> defaults = new LinkedHashMap<>();
        List<URL> files = Collections.list(
                PagesTests.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"));
        for (URL file : files) {
            try (InputStream in = file.openStream()) {
                for (JsonNode property : JsonMapper.shared().readTree(in).path("properties")) {
                    String name = property.path("name").asString();
                    if (name.startsWith(PREFIX)) {
                        JsonNode value = property.path("defaultValue");
                        defaults.put(name, value.isArray() ? value.path(0).asString() : value.asString());
                    }
                }
            }
        }
        return defaults;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException("The tests expect to run in the module's folder.", e);
        }
    }
}
