package io.konduit.queue.handler;

import io.konduit.queue.InvalidJobHandlerException;
import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TaskType;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** V3: the task type of a handler, from its annotation or from the class of its payload. Both must agree. */
final class HandledType {
    private HandledType() {}

    static String of(String declared, Method method, Class<?> beanType) {
        String location = method.getDeclaringClass().getSimpleName() + "." + method.getName();
        Type payload = Signature.of(method, beanType, declared.isEmpty() ? location : declared)
                .payloadType();
        Class<?> raw = payload == null ? null : ResolvableType.forType(payload).toClass();
        String typed = raw == null ? null : typeOf(raw, location).orElse(null);
        if (typed == null || raw == null) {
            if (declared.isEmpty()) {
                throw new InvalidJobHandlerException(withoutType(location, payload));
            }
            return declared;
        }
        if (!declared.isEmpty() && !declared.equals(typed)) {
            throw new InvalidJobHandlerException(
                    "Handler '%s' (%s) takes %s, whose @TaskType is '%s'. Remove the value of @JobHandler, or make them equal."
                            .formatted(declared, location, raw.getName(), typed));
        }
        if (!AnnotatedElementUtils.isAnnotated(raw, TaskType.class)) {
            throw new InvalidJobHandlerException(
                    "Handler '%s' (%s) takes %s, which inherits its @TaskType: payloads of other classes have the type as well. Take the class that declares it, or give %s a @TaskType of its own."
                            .formatted(typed, location, raw.getName(), raw.getSimpleName()));
        }
        return typed;
    }

    /**
     * A payload of another class with the same {@code @TaskType} must not reach the handler, even if its JSON fits.
     *
     * @throws InvalidTaskException if the payload's class says this handler's type and is not what the handler takes
     */
    static void requireOwn(JobHandlerMethod handler, Object payload) {
        Class<?> taken = taken(handler);
        if (taken != null
                && !taken.isInstance(payload)
                && TaskRequest.typeOf(payload.getClass())
                        .filter(handler.type()::equals)
                        .isPresent()
                && AnnotatedElementUtils.isAnnotated(taken, TaskType.class)) {
            throw new InvalidTaskException(
                    "Two classes have @TaskType(\"%s\"): %s, which %s takes, and %s. Give one of them another type."
                            .formatted(
                                    handler.type(),
                                    taken.getName(),
                                    handler.location(),
                                    payload.getClass().getName()));
        }
    }

    /** Two handlers of one type: what to say about them. */
    static String twice(JobHandlerMethod first, JobHandlerMethod second) {
        Class<?> one = taken(first);
        Class<?> other = taken(second);
        return one != null
                        && other != null
                        && one != other
                        && AnnotatedElementUtils.isAnnotated(one, TaskType.class)
                        && AnnotatedElementUtils.isAnnotated(other, TaskType.class)
                ? "Two classes have @TaskType(\"%s\"): %s, which %s takes, and %s, which %s takes. Give one of them another type."
                        .formatted(first.type(), one.getName(), first.location(), other.getName(), second.location())
                : "Handler '%s' is declared twice: %s and %s. Give one of them another type."
                        .formatted(first.type(), first.location(), second.location());
    }

    private static @Nullable Class<?> taken(JobHandlerMethod handler) {
        Type payload = handler.payloadType();
        return payload == null ? null : ResolvableType.forType(payload).toClass();
    }

    private static Optional<String> typeOf(Class<?> payload, String location) {
        try {
            return TaskRequest.typeOf(payload);
        } catch (InvalidTaskException e) {
            throw new InvalidJobHandlerException("Handler " + location + ": " + e.getMessage(), e);
        }
    }

    private static String withoutType(String location, @Nullable Type payload) {
        return payload == null
                ? "Handler %s has no type: @JobHandler has no value, and the method takes no payload. Write @JobHandler(\"...\"), or take a payload whose class has @TaskType."
                        .formatted(location)
                : "Handler %s has no type: @JobHandler has no value, and %s has no @TaskType. Write @JobHandler(\"...\"), or add @TaskType(\"...\") to the payload's class."
                        .formatted(location, payload.getTypeName());
    }
}
