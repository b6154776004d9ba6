package io.konduit.queue.aot;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * A payload type with the subtypes that Jackson chooses from: those that a sealed type permits and those that {@code
 * @JsonSubTypes} names. Spring finds the properties of a class by itself, but not the subtypes of their types.
 */
final class PayloadClasses {
    private final Set<Type> found = new LinkedHashSet<>();

    private PayloadClasses() {}

    static Set<Type> of(Type payload) {
        PayloadClasses classes = new PayloadClasses();
        classes.add(ResolvableType.forType(payload));
        return classes.found;
    }

    private void add(ResolvableType type) {
        Class<?> raw = type.toClass();
        if (raw.isArray()) {
            add(type.getComponentType());
            return;
        }
        if (raw == Object.class || raw.isPrimitive() || !found.add(type.getType())) {
            return;
        }
        for (ResolvableType argument : type.getGenerics()) {
            add(argument);
        }
        if (raw.getName().startsWith("java.")) {
            return;
        }
        if (raw.isSealed()) {
            for (Class<?> permitted : raw.getPermittedSubclasses()) {
                add(ResolvableType.forClass(permitted));
            }
        }
        JsonSubTypes named = AnnotationUtils.findAnnotation(raw, JsonSubTypes.class);
        if (named != null) {
            for (JsonSubTypes.Type subtype : named.value()) {
                add(ResolvableType.forClass(subtype.value()));
            }
        }
        if (raw.isRecord()) {
            for (RecordComponent component : raw.getRecordComponents()) {
                add(ResolvableType.forMethodReturnType(component.getAccessor(), raw));
            }
        }
    }
}
