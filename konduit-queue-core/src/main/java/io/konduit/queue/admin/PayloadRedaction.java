package io.konduit.queue.admin;

import org.jspecify.annotations.Nullable;

/**
 * Decides what of a payload people see where payloads may be shown at all ({@code
 * konduit.queue.endpoint.show-payloads}). Define a bean; of several, each gets what the one before it left.
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
     * What may be seen of a payload or checkpoint.
     *
     * @param type the type of the task
     * @param json the text as it is stored
     * @return JSON text; null to show nothing
     */
    @Nullable
    String redact(String type, String json);

    /**
     * What may be seen of the message of an error, which may quote the payload. Nothing, unless the application says
     * how: what hides a field of a payload does not find it in a sentence.
     */
    default @Nullable String redactMessage(String type, String message) {
        return null;
    }
}
