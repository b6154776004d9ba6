package io.konduit.queue.handler;

import io.konduit.queue.InvalidJobHandlerException;
import io.konduit.queue.TaskContext;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;

/** The parameters of a handler method: a payload, a {@link TaskContext}, both in either order, or none. */
record Signature(int count, int payloadIndex, @Nullable Type payloadType) {
    private static final int NONE = -1;

    /**
     * @param beanType resolves type variables when a superclass declares the method
     */
    static Signature of(Method method, Class<?> beanType, String type) {
        Type[] parameters = method.getGenericParameterTypes();
        int payload = NONE;
        int contexts = 0;
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i] == TaskContext.class) {
                contexts++;
            } else if (payload == NONE) {
                payload = i;
            } else {
                throw tooMany(method, type);
            }
        }
        if (contexts > 1) {
            throw tooMany(method, type);
        }
        return new Signature(
                parameters.length,
                payload,
                payload == NONE ? null : GenericTypeResolver.resolveType(parameters[payload], beanType));
    }

    @Nullable
    Object[] arguments(TaskContext context, Function<Type, @Nullable Object> payload) {
        @Nullable Object[] arguments = new Object[count];
        for (int i = 0; i < count; i++) {
            arguments[i] = i == payloadIndex && payloadType != null ? payload.apply(payloadType) : context;
        }
        return arguments;
    }

    private static InvalidJobHandlerException tooMany(Method method, String type) {
        return new InvalidJobHandlerException(
                "Handler '%s' (%s.%s) has %d parameters: expected a payload, a TaskContext, both, or none. Put all data into one payload record."
                        .formatted(
                                type,
                                method.getDeclaringClass().getSimpleName(),
                                method.getName(),
                                method.getParameterCount()));
    }
}
