package io.konduit.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.autoconfigure.ConfigurationMetadata.Property;
import java.lang.reflect.Parameter;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** What editors show for {@code konduit.queue.*}. */
class ConfigurationMetadataTests {
    private static final Map<String, Property> METADATA =
            ConfigurationMetadata.read().properties();

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
