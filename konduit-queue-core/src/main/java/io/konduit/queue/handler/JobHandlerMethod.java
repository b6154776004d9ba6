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
 * @param queue null means the default queue
 * @param maxAttempts null means the retry policy's
 * @param lockTimeout null means the worker's
 * @param timeout null means the worker's, zero means no limit
 * @param backoff null means the retry policy's
 * @param recurrence null if it has no {@link io.konduit.queue.Recurring}
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
        PayloadValidation validation,
        @Nullable DeclaredRecurrence recurrence) {

    /** Calls the method, and waits for the future if it returns one. Exceptions of either are rethrown unchanged. */
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

    /** The type that the payload is read as; null when the method takes none. */
    public @Nullable Type payloadType() {
        return signature.payloadType();
    }

    /**
     * Refuses a payload of another class that has the {@code @TaskType} of this handler's payload.
     *
     * @throws io.konduit.queue.InvalidTaskException if it is one
     */
    public void requireOwnPayload(@Nullable Object payload) {
        if (payload != null) {
            HandledType.requireOwn(this, payload);
        }
    }

    /** The class and method name, for messages. */
    public String location() {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }
}
