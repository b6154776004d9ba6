package io.konduit.queue;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Finds the {@link TaskType} of a payload: the nearest one of its class and of what that extends and implements. */
final class PayloadTaskTypes {
    private static final ClassValue<Optional<String>> FOUND = new ClassValue<>() {
        @Override
        protected Optional<String> computeValue(Class<?> type) {
            return find(type);
        }
    };

    private PayloadTaskTypes() {}

    static Optional<String> of(Class<?> payload) {
        return FOUND.get(payload);
    }

    static String require(@Nullable Object payload) {
        if (payload == null) {
            throw new InvalidTaskException(
                    "Expected a payload whose class has @TaskType, but it is null. A task without a payload needs its type: enqueue(\"type\", null).");
        }
        return of(payload.getClass()).orElseThrow(() -> new InvalidTaskException(untyped(payload)));
    }

    private static String untyped(Object payload) {
        String name = payload.getClass().getName();
        if (payload instanceof Collection<?> || payload instanceof Object[]) {
            return "Expected a payload whose class has @TaskType, but found a %s. Use enqueueAll for many tasks, or name the type: enqueue(\"type\", payload)."
                    .formatted(name);
        }
        if (payload instanceof CharSequence) {
            return "Expected a payload whose class has @TaskType, but found a %s. If it is the task's type, call enqueue(type, payload); if it is the payload, call enqueue(\"type\", text)."
                    .formatted(name);
        }
        return "Expected a payload whose class has @TaskType, but found %s without it. Add @TaskType(\"...\") to the class, or name the type: enqueue(\"type\", payload)."
                .formatted(name);
    }

    private static Optional<String> find(Class<?> payload) {
        List<MergedAnnotation<TaskType>> all = MergedAnnotations.from(payload, SearchStrategy.TYPE_HIERARCHY).stream(
                        TaskType.class)
                .toList();
        for (MergedAnnotation<TaskType> candidate : all) {
            if (all.stream().allMatch(other -> isAsNear(candidate, other))) {
                return Optional.of(candidate.getString(MergedAnnotation.VALUE));
            }
        }
        if (all.isEmpty()) {
            return Optional.empty();
        }
        throw new InvalidTaskException(
                "Payload class %s inherits several task types: %s. Give the class its own @TaskType, or leave only one of them."
                        .formatted(
                                payload.getName(),
                                all.stream()
                                        .map(each -> "'" + each.getString(MergedAnnotation.VALUE) + "' from "
                                                + source(each).getSimpleName())
                                        .toList()));
    }

    /** Whether the first is declared on a subtype of the other's class, or says the same. */
    private static boolean isAsNear(MergedAnnotation<TaskType> candidate, MergedAnnotation<TaskType> other) {
        return source(other).isAssignableFrom(source(candidate))
                || other.getString(MergedAnnotation.VALUE).equals(candidate.getString(MergedAnnotation.VALUE));
    }

    private static Class<?> source(MergedAnnotation<TaskType> annotation) {
        return annotation.getSource() instanceof Class<?> type ? type : Object.class;
    }
}
