package io.konduit.queue.handler;

import io.konduit.queue.TaskContext;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A handler: a method of a bean and what its annotation declares.
 *
 * @param queue null for the default queue
 * @param maxAttempts null for the retry policy's
 * @param lockTimeout null for the worker's
 * @param timeout null for the worker's, zero for none
 * @param backoff null for the retry policy's
 */
public record JobHandlerMethod(
        String type,
        Supplier<Object> bean,
        Method method,
        Signature signature,
        @Nullable String queue,
        @Nullable Integer maxAttempts,
        @Nullable Duration lockTimeout,
        @Nullable Duration timeout,
        boolean reapable,
        boolean transactional,
        @Nullable Backoff backoff,
        PayloadValidation validation) {

    /** Calls the method, and waits for the future if it returns one; what either throws is thrown as it is. */
    public void invoke(String payload, PayloadConverter converter, TaskContext context) throws Throwable {
        Object[] arguments = signature.arguments(context, parameter -> converter.readPayload(payload, parameter, type));
        Object target = bean.get();
        validation.validate(target, arguments);
        try {
            AsyncResult.await(method.invoke(target, arguments));
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    /** What the payload is read into; null when the method takes none. */
    public @Nullable Type payloadType() {
        return signature.payloadType();
    }

    /** Class and method, for messages. */
    public String location() {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }
}
