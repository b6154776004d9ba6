package io.konduit.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.autoconfigure.ConfigurationMetadata.Property;
import io.konduit.queue.settings.PropertyNames;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Parameter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** What editors show for {@code konduit.queue.*}. */
class ConfigurationMetadataTests {
    private static final Map<String, Property> METADATA =
            ConfigurationMetadata.read().properties();

    /** A name within a string of the code. */
    private static final Pattern QUOTED =
            Pattern.compile("\"[^\"]*(?<!io\\.)(konduit\\.queue\\.[a-z.-]*[a-z])[^\"]*\"");

    /** The properties as the records declare them, with their defaults; empty for none. */
    private static final Map<String, String> DECLARED = declared("konduit.queue", KonduitQueueProperties.class);

    @Test
    void namesEveryPropertyAndNoOther() {
        assertThat(METADATA.keySet()).containsExactlyInAnyOrderElementsOf(DECLARED.keySet());
        assertThat(METADATA).hasSizeGreaterThan(30);
    }

    @ParameterizedTest
    @MethodSource("names")
    void describesEachPropertyInASentenceAndTellsItsDefault(String name) {
        Property property = METADATA.get(name);
        assertThat(property.description()).as("description of " + name).matches("(?s)[A-Z].*\\.");
        assertThat(property.defaultValue())
                .as("default of " + name)
                .isEqualTo(DECLARED.get(name).replaceFirst("^(\\d+)\\.0$", "$1"));
        assertThat(property.type()).as("type of " + name).isNotEmpty();
        assertThat(ConfigurationPropertyName.isValid(name)).isTrue();
    }

    @Test
    void namesInMessagesAreThoseOfProperties() throws IllegalAccessException {
        for (Field constant : PropertyNames.class.getFields()) {
            String name = (String) constant.get(null);
            assertThat(METADATA).containsKey(name);
            assertThat("konduit.queue." + constant.getName().toLowerCase(Locale.ROOT))
                    .isEqualTo(name.replaceAll("(?<=queue[.].{0,100})[.-]", "_"));
        }
    }

    @Test
    void namesAndDefaultsStandInOnePlace() throws IOException {
        Map<Path, String> literals = new TreeMap<>();
        for (String module : List.of("konduit-queue-core", "konduit-queue-spring-boot-starter")) {
            try (Stream<Path> sources = Files.walk(Path.of("..", module, "src", "main", "java"))) {
                for (Path source : sources.filter(path -> path.toString().endsWith(".java"))
                        .toList()) {
                    Files.readAllLines(source).stream()
                            .filter(line -> !line.strip().startsWith("*"))
                            .filter(line -> line.contains("@DefaultValue(\"") || quotesProperty(line))
                            .forEach(line -> literals.merge(source, line, (a, b) -> a + "\n" + b));
                }
            }
        }
        assertThat(literals.keySet())
                .as("literals elsewhere: %s", literals)
                .singleElement()
                .extracting(path -> path.getFileName().toString())
                .isEqualTo("PropertyNames.java");
    }

    private static boolean quotesProperty(String line) {
        Matcher mention = QUOTED.matcher(line);
        return mention.find() && METADATA.containsKey(mention.group(1));
    }

    static Set<String> names() {
        return METADATA.keySet();
    }

    private static Map<String, String> declared(String prefix, Class<?> record) {
        Map<String, String> properties = new TreeMap<>();
        for (Parameter parameter : record.getDeclaredConstructors()[0].getParameters()) {
            String name = prefix + "."
                    + parameter.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            if (parameter.getType().isRecord()) {
                properties.putAll(declared(name, parameter.getType()));
            } else {
                DefaultValue value = parameter.getAnnotation(DefaultValue.class);
                properties.put(name, value == null ? "" : String.join(",", value.value()));
            }
        }
        return properties;
    }
}
