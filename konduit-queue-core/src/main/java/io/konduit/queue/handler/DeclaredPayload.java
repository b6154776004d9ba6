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
 * A payload that is written as what its handler takes. {@link ObjectMapper#writerFor} would do so too, but takes types
 * literally: elements of a {@code List<Order>} that are of a subclass would lose what {@code Order} does not have.
 */
record DeclaredPayload(JavaType type, Object payload) implements JacksonSerializable {

    /**
     * With the class of the payload and the type arguments of the declared type: an {@code ArrayList<Pay>} for a
     * {@code List<Pay>}. Null when the payload is no instance of the declared type.
     */
    static @Nullable DeclaredPayload of(ObjectMapper mapper, JavaType declared, Object payload) {
        if (!ClassUtils.isAssignableValue(declared.getRawClass(), payload)) {
            return null;
        }
        if (declared.isPrimitive() || declared.getRawClass() == payload.getClass()) {
            return new DeclaredPayload(declared, payload);
        }
        JavaType type = mapper.getTypeFactory().constructSpecializedType(declared, payload.getClass());
        // a class that is a list of something else keeps its own type arguments
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
