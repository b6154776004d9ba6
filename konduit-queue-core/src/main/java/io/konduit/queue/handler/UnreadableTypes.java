package io.konduit.queue.handler;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.ContainerDeserializerBase;
import tools.jackson.databind.deser.std.ReferenceTypeDeserializer;

/**
 * Finds interfaces and abstract classes in a payload type for which Jackson cannot choose an implementation. Uses the
 * application's mapper, so annotations, mix-ins, modules and default typing are taken into account.
 */
final class UnreadableTypes {
    private final DeserializationContext context;
    private final Set<JavaType> seen = new HashSet<>();
    private final List<Found> found = new ArrayList<>();

    /**
     * @param always whether every non-empty payload contains it; otherwise it is the type of a property
     */
    record Found(Class<?> type, boolean always) {}

    private UnreadableTypes(DeserializationContext context) {
        this.context = context;
    }

    static List<Found> in(ObjectMapper mapper, Type declared) {
        UnreadableTypes search = new UnreadableTypes(mapper._deserializationContext());
        try {
            search.visit(mapper.constructType(declared), true);
        } catch (JacksonException e) {
            // broken in another way: reading a payload reports it
        }
        return search.found;
    }

    private void visit(JavaType type, boolean always) {
        if (!seen.add(type)) {
            return;
        }
        // wrapped in another deserializer when the JSON contains a type id
        ValueDeserializer<?> deserializer = context.findRootValueDeserializer(type);
        if (deserializer instanceof AbstractDeserializer && deserializer.getObjectIdReader(context) == null) {
            found.add(new Found(type.getRawClass(), always));
        } else if (isContainer(deserializer)) {
            visit(type.getContentType(), always);
        } else if (deserializer instanceof BeanDeserializerBase bean) {
            for (Iterator<SettableBeanProperty> properties = bean.properties(); properties.hasNext(); ) {
                visit(properties.next());
            }
        }
    }

    private void visit(SettableBeanProperty property) {
        ValueDeserializer<?> deserializer = property.getValueDeserializer();
        boolean plain = deserializer instanceof AbstractDeserializer || deserializer instanceof BeanDeserializerBase;
        if (plain && !property.hasValueTypeDeserializer()) {
            visit(property.getType(), false);
        } else if (isContainer(deserializer)
                && context.findPropertyContentTypeDeserializer(property.getType(), property.getMember()) == null) {
            visit(property.getType().getContentType(), false);
        }
    }

    private static boolean isContainer(ValueDeserializer<?> deserializer) {
        return deserializer instanceof ContainerDeserializerBase<?>
                || deserializer instanceof ReferenceTypeDeserializer<?>;
    }
}
