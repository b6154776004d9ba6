package io.konduit.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.autoconfigure.ConfigurationMetadata.Property;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/configuration.md} says of each property what the code says. Run with {@code -Dkonduit.docs.write=true}
 * to write its table anew.
 */
class ConfigurationDocTests {
    private static final Path PAGE = Path.of("..", "docs", "configuration.md");
    private static final String BEGIN = "<!-- properties: written by ConfigurationDocTests -->";
    private static final String END = "<!-- end of properties -->";
    private static final Pattern MENTION = Pattern.compile("(?<!io\\.)konduit\\.queue\\.[a-z0-9.-]*[a-z0-9]");

    @Test
    void thePageListsEveryPropertyWithItsDefaultAndMeaning() throws IOException {
        String page = Files.readString(PAGE);
        String table = table(ConfigurationMetadata.read().properties());
        int from = page.indexOf(BEGIN) + BEGIN.length();
        int to = page.indexOf(END);
        assertThat(to).as("the markers around the table").isGreaterThan(from);
        if (Boolean.getBoolean("konduit.docs.write")) {
            page = page.substring(0, from) + table + page.substring(to);
            Files.writeString(PAGE, page);
            to = page.indexOf(END);
        }
        assertThat(page.substring(from, to))
                .as("the table of %s (run with -Dkonduit.docs.write=true to write it anew)", PAGE)
                .isEqualTo(table);
    }

    @Test
    void thePageNamesNoPropertyThatIsNotThere() throws IOException {
        Map<String, Property> known = ConfigurationMetadata.read().properties();
        Matcher mention = MENTION.matcher(Files.readString(PAGE));
        List<String> unknown = new ArrayList<>();
        while (mention.find()) {
            String name = mention.group();
            if (known.keySet().stream().noneMatch(property -> name.equals(property) || covers(property, name))) {
                unknown.add(name);
            }
        }
        assertThat(unknown).isEmpty();
    }

    /** A group of properties, or an entry of a map. */
    private static boolean covers(String property, String name) {
        return property.startsWith(name + ".") || name.startsWith(property + ".");
    }

    private static String table(Map<String, Property> properties) {
        Map<String, StringBuilder> groups = new TreeMap<>();
        properties.forEach((name, property) -> {
            String key = name.substring("konduit.queue.".length());
            String group = key.contains(".") ? key.substring(0, key.indexOf('.')) : "";
            groups.computeIfAbsent(group, ConfigurationDocTests::heading)
                    .append("| `%s` | %s | %s |%n"
                            .formatted(
                                    name,
                                    property.defaultValue().isEmpty() ? "" : "`" + property.defaultValue() + "`",
                                    property.description().replaceAll("\\s+", " ")));
        });
        return ("\n" + String.join("", groups.values()) + "\n").replace("\r\n", "\n");
    }

    private static StringBuilder heading(String group) {
        return new StringBuilder("%n### %s%n%n| property | default | meaning |%n|---|---|---|%n"
                .formatted(group.isEmpty() ? "The queue" : "`konduit.queue." + group + "`"));
    }
}
