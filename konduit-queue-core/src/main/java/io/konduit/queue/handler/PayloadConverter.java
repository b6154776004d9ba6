package io.konduit.queue.handler;

import io.konduit.queue.InvalidPayloadException;
import io.konduit.queue.PayloadTooLargeException;
import io.konduit.queue.settings.PayloadSettings;
import io.konduit.queue.settings.PropertyNames;
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

/** Converts payloads and checkpoints to and from JSON. Messages name types and fields, never values. */
public final class PayloadConverter {
    /**
     * The maximum size of a checkpoint in bytes of JSON, and the default for payloads. The limit for checkpoints is
     * fixed, because a checkpoint is rewritten many times while its task runs.
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
     * Writes the payload of a task. It is serialized as the handler's parameter type if that is known, so that the
     * elements of a {@code List<Pay>} get the type ids needed to read them. A payload of another type is accepted if it
     * can be read as the declared type, such as a map for a record.
     *
     * @param taskType named in messages
     * @param declared the handler's parameter type; null when the handler is not part of this application or takes no
     *     payload
     */
    public String writePayload(@Nullable Object payload, String taskType, @Nullable Type declared) {
        String what = payloadOf(taskType);
        JavaType expected = declared == null ? null : mapper.constructType(declared);
        DeclaredPayload asDeclared =
                expected == null || payload == null ? null : DeclaredPayload.of(mapper, expected, payload);
        // the declared type matters only for generic types: a plain class describes itself
        boolean generic = expected != null && (expected.hasGenericTypes() || expected.isContainerType());
        String json = json(generic && asDeclared != null ? asDeclared : payload, payload, what);
        requireSize(
                json,
                settings.maxBytes(),
                what,
                ", or raise '" + PropertyNames.MAX_PAYLOAD + "' (up to " + PayloadSettings.LARGEST + ")");
        JsonText.requireStorable(json, what);
        if (declared != null && payload != null && (settings.check() || asDeclared == null)) {
            requireReadable(json, declared, payload, what);
        }
        return json;
    }

    /** Reads the payload of a task as the handler's parameter type. */
    @Nullable
    Object readPayload(String json, Type declared, String taskType) {
        return read(json, declared, payloadOf(taskType));
    }

    /** Types that Jackson cannot read, see {@link UnreadableTypes}. */
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
                    "Expected %s to be readable as %s, which its handler takes, but the JSON written from %s is not%s. Send what the handler takes, or change its parameter."
                            .formatted(
                                    what,
                                    declared.getTypeName(),
                                    payload.getClass().getName(),
                                    location(e)));
        }
    }

    private static void requireSize(String json, long limit, String what, String orElse) {
        long digits = JsonText.digitsAdded(json);
        // a char takes at most three bytes, so only payloads over a third of the limit are measured
        if (json.length() + digits > limit / 3) {
            long bytes = json.getBytes(StandardCharsets.UTF_8).length + digits;
            if (bytes > limit) {
                throw new PayloadTooLargeException(
                        "Expected %s to be at most %d bytes of JSON, but it has %d%s. Store the data elsewhere and send its key%s."
                                .formatted(
                                        what,
                                        limit,
                                        bytes,
                                        digits == 0 ? "" : " with its numbers written out, as the database stores them",
                                        orElse));
            }
        }
    }

    private static String payloadOf(String taskType) {
        return "the payload of type '" + taskType + "'";
    }

    /**
     * The path to the error, as names of declared fields. Jackson's message is omitted because it may quote values. Map
     * keys and undeclared fields are omitted because they are payload content.
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
