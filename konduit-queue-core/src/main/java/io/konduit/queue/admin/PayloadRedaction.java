package io.konduit.queue.admin;

import org.jspecify.annotations.Nullable;

/**
 * Decides which parts of a payload callers see, if payloads may be shown at all ({@code
 * konduit.queue.endpoint.show-payloads}). Define a bean. With several beans, each receives the output of the previous
 * one.
 *
 * <pre>{@code
 * @Bean
 * PayloadRedaction hideCards() {
 *     return (type, json) -> json.replaceAll("\"card\":\\s*\"[^\"]*\"", "\"card\": \"***\"");
 * }
 * }</pre>
 *
 * <p>A redaction that throws, or returns something other than JSON, shows nothing.
 */
@FunctionalInterface
public interface PayloadRedaction {
    /**
     * The visible part of a payload or checkpoint.
     *
     * @param type the type of the task
     * @param json the text as it is stored
     * @return JSON text; null to show nothing
     */
    @Nullable
    String redact(String type, String json);

    /**
     * The visible part of an error message, which may quote the payload. By default nothing is shown: code that hides a
     * field of a payload does not find the same value in a sentence.
     */
    default @Nullable String redactMessage(String type, String message) {
        return null;
    }
}
