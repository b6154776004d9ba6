package io.konduit.queue.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the build has written about our properties for editors. */
record ConfigurationMetadata(Map<String, Property> properties) {
    private static final String FILE = "/META-INF/spring-configuration-metadata.json";

    /**
     * @param defaultValue as a person would write it; empty when there is none
     */
    record Property(String type, String description, String defaultValue) {}

    /** Reads the metadata of this module, not that of the modules on its class path. */
    static ConfigurationMetadata read() {
        try (InputStream in = KonduitQueueProperties.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI()
                .resolve("." + FILE)
                .toURL()
                .openStream()) {
            Map<String, Property> properties = new TreeMap<>();
            for (JsonNode node : JsonMapper.builder().build().readTree(in).get("properties")) {
                properties.put(
                        node.get("name").asString(),
                        new Property(
                                text(node.get("type")), text(node.get("description")), text(node.get("defaultValue"))));
            }
            // what Actuator has for every endpoint is not ours
            properties.keySet().removeIf(name -> name.startsWith("management.endpoint."));
            return new ConfigurationMetadata(properties);
        } catch (IOException | java.net.URISyntaxException e) {
            throw new IllegalStateException("The module has no readable " + FILE, e);
        }
    }

    private static String text(JsonNode node) {
        if (node == null) {
            return "";
        }
        return node.isArray()
                ? StreamSupport.stream(node.spliterator(), false)
                        .map(JsonNode::asString)
                        .collect(Collectors.joining(","))
                : Objects.requireNonNull(node.asString());
    }
}
