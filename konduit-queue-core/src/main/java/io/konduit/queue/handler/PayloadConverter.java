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
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** Payloads and checkpoints to JSON and back. Its messages name types and fields, never values. */
public final class PayloadConverter {
    /**
     * The most bytes of JSON that a checkpoint may have, and a payload unless the settings say more. A checkpoint is
     * written again and again while its task runs, so its limit stays.
     */
    public static final int MAX_BYTES = 256 * 1024;

    private final ObjectMapper mapper;
    private final PayloadSettings settings;

    public PayloadConverter(ObjectMapper mapper) {
        this(mapper, PayloadSettings.defaults());
    }

    public PayloadConverter(ObjectMapper mapper, PayloadSettings settings) {
        this.mapper = mapper;
        this.settings = settings;
    }

    /**
     * Writes the payload of a task. It is written as the type that the handler takes, if that is known: what is in a
     * {@code List<Pay>} then has the type ids that reading it needs. A payload that is no instance of that type is taken
     * if it can be read as one, such as a map for a record.
     *
     * @param taskType names it in messages
     * @param declared what the handler takes; null when the handler is not part of this application or takes no payload
     */
    public String writePayload(@Nullable Object payload, String taskType, @Nullable Type declared) {
        String what = payloadOf(taskType);
        JavaType expected = declared == null ? null : mapper.constructType(declared);
        DeclaredPayload asDeclared =
                expected == null || payload == null ? null : DeclaredPayload.of(mapper, expected, payload);
        // a plain class says all about itself: only what is in generic types depends on what was declared
        boolean generic = expected != null && (expected.hasGenericTypes() || expected.isContainerType());
        String json = json(generic && asDeclared != null ? asDeclared : payload, payload, what);
        requireSize(json, settings.maxBytes(), what, ", or raise 'konduit.queue.max-payload' (up to 10MB)");
        JsonText.requireStorable(json, what);
        if (declared != null && payload != null && (settings.check() || asDeclared == null)) {
            requireReadable(json, declared, payload, what);
        }
        return json;
    }

    /** Reads the payload of a task into what the handler takes. */
    @Nullable
    Object readPayload(String json, Type declared, String taskType) {
        return read(json, declared, payloadOf(taskType));
    }

    /** What Jackson would not know how to read, see {@link UnreadableTypes}. */
    List<UnreadableTypes.Found> unreadable(Type declared) {
        return UnreadableTypes.in(mapper, declared);
    }

    /**
     * Writes a value as JSON that PostgreSQL can store.
     *
     * @param what names the thing in messages, such as {@code "the payload of type 'welcome-mail'"}
     */
    public String write(@Nullable Object value, String what) {
        String json = json(value, value, what);
        requireSize(json, MAX_BYTES, what, "");
        JsonText.requireStorable(json, what);
        return json;
    }

    private String json(@Nullable Object written, @Nullable Object value, String what) {
        try {
            return mapper.writeValueAsString(written);
        } catch (JacksonException e) {
            throw new InvalidPayloadException(
                    "Expected %s to be writable as JSON, but %s is not%s. Send a record of plain values."
                            .formatted(
                                    what,
                                    value == null ? "null" : value.getClass().getName(),
                                    location(e)));
        }
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

    private void requireReadable(String json, Type declared, Object payload, String what) {
        try {
            mapper.readValue(json, mapper.constructType(declared));
        } catch (JacksonException e) {
            throw new InvalidPayloadException(
                    "Expected %s to be readable as %s, which its handler takes, but what was written of %s is not%s. Send what the handler takes, or change its parameter."
                            .formatted(
                                    what,
                                    declared.getTypeName(),
                                    payload.getClass().getName(),
                                    location(e)));
        }
    }

    private static void requireSize(String json, long most, String what, String orElse) {
        long digits = JsonText.digitsAdded(json);
        // a char is at most three bytes: few payloads have to be counted
        if (json.length() + digits > most / 3) {
            long bytes = json.getBytes(StandardCharsets.UTF_8).length + digits;
            if (bytes > most) {
                throw new PayloadTooLargeException(
                        "Expected %s to be at most %d bytes of JSON, but it has %d%s. Store the data elsewhere and send its key%s."
                                .formatted(
                                        what,
                                        most,
                                        bytes,
                                        digits == 0 ? "" : " with its numbers written out, as the database has them",
                                        orElse));
            }
        }
    }

    private static String payloadOf(String taskType) {
        return "the payload of type '" + taskType + "'";
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
