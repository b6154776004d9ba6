package io.konduit.queue.handler;

import io.konduit.queue.InvalidJobHandlerException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Handlers that return before their work is done. The worker waits for a future or stage. Other asynchronous handlers
 * are refused at startup, because their tasks would be completed too early.
 */
final class AsyncResult {
    /** The annotations that Spring's {@code @EnableAsync} looks for. By name, because they may be absent from the class path. */
    private static final List<String> ASYNC = List.of(
            "org.springframework.scheduling.annotation.Async",
            "jakarta.enterprise.concurrent.Asynchronous",
            "jakarta.ejb.Asynchronous");

    private static final Set<String> PUBLISHERS =
            Set.of("org.reactivestreams.Publisher", "java.util.concurrent.Flow$Publisher");

    private AsyncResult() {}

    /** Waits for the returned value if it is a future or stage. An interrupt cancels it. */
    static void await(@Nullable Object returned) throws Throwable {
        Future<?> future = returned instanceof CompletionStage<?> stage
                ? stage.toCompletableFuture()
                : returned instanceof Future<?> plain ? plain : null;
        if (future == null) {
            return;
        }
        try {
            future.get();
        } catch (InterruptedException e) {
            future.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            throw unwrapped(e);
        }
    }

    /** The error thrown by the asynchronous work. It decides whether the task is retried. */
    private static Throwable unwrapped(Throwable error) {
        Throwable inner = error;
        while ((inner instanceof ExecutionException || inner instanceof CompletionException)
                && inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner;
    }

    /** Refuses a handler whose completion cannot be observed. */
    static void require(Method method, Class<?> beanType, boolean transactional, String type, String location) {
        if (isAsync(method, beanType)) {
            throw new InvalidJobHandlerException(
                    "Handler '%s' (%s) is @Async: it would return before its work is done, and the task would be completed too early. Remove @Async; slots already run handlers on threads of their own."
                            .formatted(type, location));
        }
        Class<?> returned = GenericTypeResolver.resolveReturnType(method, beanType);
        if (ClassUtils.getAllInterfacesForClassAsSet(returned).stream()
                .anyMatch(each -> PUBLISHERS.contains(each.getName()))) {
            throw new InvalidJobHandlerException(
                    "Handler '%s' (%s) returns a %s, which does nothing until somebody subscribes. Wait for it in the handler (block()), or return a CompletionStage (toFuture())."
                            .formatted(type, location, returned.getSimpleName()));
        }
        if (transactional
                && (CompletionStage.class.isAssignableFrom(returned) || Future.class.isAssignableFrom(returned))) {
            throw new InvalidJobHandlerException(
                    "Handler '%s' (%s) is transactional and returns a %s: work on other threads is not part of the transaction. Do the work before the handler returns, or remove transactional."
                            .formatted(type, location, returned.getSimpleName()));
        }
    }

    private static boolean isAsync(Method method, Class<?> beanType) {
        MergedAnnotations ofMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        MergedAnnotations ofType = MergedAnnotations.from(beanType, SearchStrategy.TYPE_HIERARCHY);
        return ASYNC.stream().anyMatch(name -> ofMethod.isPresent(name) || ofType.isPresent(name));
    }
}
