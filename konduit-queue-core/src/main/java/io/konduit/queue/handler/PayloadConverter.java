package io.konduit.queue.handler;

import io.konduit.queue.InvalidPayloadException;
import io.konduit.queue.PayloadTooLargeException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

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

    /**
     * Where the fault is, as names of declared fields. Jackson's own message may quote values, so it is left out; so
     * are the keys of maps and the fields that the type does not have, which are content of the payload.
     */
    private static String location(JacksonException e) {
        String kind = " (" + e.getClass().getSimpleName() + ")";
        List<JacksonException.Reference> path = e instanceof DatabindException ? e.getPath() : List.of();
        if (path.isEmpty()) {
            return kind;
        }
        int known = e instanceof UnrecognizedPropertyException ? path.size() - 1 : path.size();
        String steps = IntStream.range(0, path.size())
                .mapToObj(i -> i < known ? step(path.get(i)) : "[unknown]")
                .collect(Collectors.joining("."));
        return " at '" + steps + "'" + kind;
    }

    private static String step(JacksonException.Reference step) {
        if (step.getPropertyName() == null) {
            return "[" + step.getIndex() + "]";
        }
        Object from = step.from();
        Class<?> owner = from instanceof Class<?> type ? type : from == null ? Object.class : from.getClass();
        boolean declared =
                owner != Object.class && !Map.class.isAssignableFrom(owner) && !JsonNode.class.isAssignableFrom(owner);
        return declared ? step.getPropertyName() : "[key]";
    }
}
