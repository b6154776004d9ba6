package io.konduit.queue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the README says of files and settings is true. */
class ReadmeTests {
    private static final Path ROOT = Path.of("..");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)]+)\\)");
    private static final Pattern PROPERTY_ROW = Pattern.compile("(?m)^\\| `([a-z.-]+)` \\| (?:`([^`]*)` )?\\|");
    private static final String PREFIX = "konduit.queue.";

    private final String readme = read(ROOT.resolve("README.md"));

    @Test
    void linksResolve() {
        List<String> links =
                LINK.matcher(readme).results().map(match -> match.group(1)).toList();

        assertThat(links).isNotEmpty().allSatisfy(link -> {
            if (!link.startsWith("https://")) {
                String[] fileAndHeading = link.split("#", 2);
                Path file = ROOT.resolve(fileAndHeading[0].isEmpty() ? "README.md" : fileAndHeading[0]);
                assertThat(file).exists();
                if (fileAndHeading.length == 2) {
                    assertThat(headingsOf(read(file))).contains(fileAndHeading[1]);
                }
            }
        });
    }

    @Test
    void propertiesHaveTheDefaultsThatItLists() throws IOException {
        Map<String, String> listed = new LinkedHashMap<>();
        for (MatchResult row : PROPERTY_ROW.matcher(readme).results().toList()) {
            listed.put(PREFIX + row.group(1), row.group(2) == null ? "" : row.group(2));
        }

        assertThat(listed).hasSize(10);
        Map<String, String> defaults = defaults();
        assertThat(listed).allSatisfy((name, value) -> assertThat(defaults.getOrDefault(name, ""))
                .isEqualTo(value));
    }

    private static List<String> headingsOf(String page) {
        return page.lines()
                .filter(line -> line.startsWith("#"))
                .map(line ->
                        line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT).replace(' ', '-'))
                .toList();
    }

    private static Map<String, String> defaults() throws IOException {
        Map<String, String> defaults = new LinkedHashMap<>();
        List<URL> files = Collections.list(
                ReadmeTests.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"));
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
