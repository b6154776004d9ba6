package io.konduit.queue.handler;

import io.konduit.queue.InvalidPayloadException;
import io.konduit.queue.PayloadTooLargeException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.ObjectMapper;

/** Payloads and checkpoints to JSON and back. Its messages name types and fields, never values. */
public final class PayloadConverter {
    /** The most bytes of JSON that a payload or checkpoint may have. */
    public static final int MAX_BYTES = 256 * 1024;

    private final ObjectMapper mapper;

    public PayloadConverter(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    /**
     * Writes a value as JSON that PostgreSQL can store.
     *
     * @param what names the thing in messages, such as {@code "the payload of type 'welcome-mail'"}
     */
    public String write(@Nullable Object value, String what) {
        String json;
        try {
            json = mapper.writeValueAsString(value);
        } catch (JacksonException e) {
            throw new InvalidPayloadException(
                    "Expected %s to be writable as JSON, but %s is not%s. Send a record of plain values."
                            .formatted(
                                    what,
                                    value == null ? "null" : value.getClass().getName(),
                                    location(e)));
        }
        requireSize(json, what);
        JsonText.requireStorable(json, what);
        return json;
    }

    /**
     * Reads JSON into the declared type.
     *
     * @param what names the thing in messages
     */
    public @Nullable Object read(String json, Type type, String what) {
        try {
            return mapper.readValue(json, mapper.constructType(type));
        } catch (JacksonException e) {
            throw new InvalidPayloadException(
                    "Expected %s to be readable as %s, but it is not%s. Correct the sender, or the declared type."
                            .formatted(what, type.getTypeName(), location(e)));
        }
    }

    private static void requireSize(String json, String what) {
        // a char is at most three bytes: most payloads need no count
        if (json.length() > MAX_BYTES / 3) {
            int bytes = json.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > MAX_BYTES) {
                throw new PayloadTooLargeException(
                        "Expected %s to be at most %d bytes of JSON, but it has %d. Store the data elsewhere and send its key."
                                .formatted(what, MAX_BYTES, bytes));
            }
        }
    }

    /** Where the fault is, as field names. Jackson's own message may quote values, so it is left out. */
    private static String location(JacksonException e) {
        if (e instanceof DatabindException databind && !databind.getPath().isEmpty()) {
            return " at '"
                    + databind.getPath().stream()
                            .map(step -> step.getPropertyName() == null
                                    ? "[" + step.getIndex() + "]"
                                    : step.getPropertyName())
                            .collect(Collectors.joining("."))
                    + "' (" + e.getClass().getSimpleName() + ")";
        }
        return " (" + e.getClass().getSimpleName() + ")";
    }
}
