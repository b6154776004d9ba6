package io.konduit.queue.handler;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JacksonSerializable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.jsontype.TypeSerializer;

/**
 * A payload that is serialized as its handler's parameter type. {@link ObjectMapper#writerFor} takes types literally:
 * elements of a {@code List<Order>} that belong to a subclass would lose the properties that {@code Order} does not
 * have.
 */
record DeclaredPayload(JavaType type, Object payload) implements JacksonSerializable {

    /**
     * Combines the class of the payload with the type arguments of the declared type: an {@code ArrayList<Pay>} for a
     * {@code List<Pay>}. Null when the payload is not an instance of the declared type.
     */
    static @Nullable DeclaredPayload of(ObjectMapper mapper, JavaType declared, Object payload) {
        if (!ClassUtils.isAssignableValue(declared.getRawClass(), payload)) {
            return null;
        }
        if (declared.isPrimitive() || declared.getRawClass() == payload.getClass()) {
            return new DeclaredPayload(declared, payload);
        }
        JavaType type = mapper.getTypeFactory().constructSpecializedType(declared, payload.getClass());
        // a class that fixes its own type arguments, such as a list of something else, keeps them
        return declared.equals(type.findSuperType(declared.getRawClass())) ? new DeclaredPayload(type, payload) : null;
    }

    @Override
    public void serialize(JsonGenerator generator, SerializationContext context) {
        context.findTypedValueSerializer(type, true).serialize(payload, generator, context);
    }

    @Override
    public void serializeWithType(JsonGenerator generator, SerializationContext context, TypeSerializer own) {
        serialize(generator, context);
    }
}
