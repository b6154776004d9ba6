package io.konduit.queue.handler;

import io.konduit.queue.InvalidJobHandlerException;
import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.Recurring;
import io.konduit.queue.settings.TaskNames;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** Finds {@link JobHandler} methods by bean type, without creating any bean. */
public final class JobHandlerScanner {
    private final ConfigurableListableBeanFactory beans;

    public JobHandlerScanner(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** All handlers of the application. */
    public Collection<JobHandlerMethod> scan() {
        List<JobHandlerMethod> found = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            if (ScopedProxyUtils.isScopedTarget(name)) {
                continue;
            }
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
            if (type != null && AnnotationUtils.isCandidateClass(type, JobHandler.class)) {
                found.addAll(handlersOf(name, ClassUtils.getUserClass(type)));
            }
        }
        return found;
    }

    private List<JobHandlerMethod> handlersOf(String bean, Class<?> type) {
        Map<Method, JobHandler> annotated = MethodIntrospector.selectMethods(
                type, (MethodIntrospector.MetadataLookup<@Nullable JobHandler>) JobHandlerScanner::declared);
        return annotated.entrySet().stream()
                .map(entry -> handler(bean, type, entry.getKey(), entry.getValue()))
                .toList();
    }

    private static @Nullable JobHandler declared(Method method) {
        JobHandler handler = AnnotatedElementUtils.findMergedAnnotation(method, JobHandler.class);
        if (handler == null && AnnotatedElementUtils.hasAnnotation(method, Recurring.class)) {
            throw DeclaredRecurrence.withoutHandler(method);
        }
        return handler;
    }

    private JobHandlerMethod handler(String bean, Class<?> beanType, Method method, JobHandler declared) {
        String location = method.getDeclaringClass().getSimpleName() + "." + method.getName();
        String type = HandledType.of(declared.value(), method, beanType);
        String queue = resolve(declared.queue());
        requireNames(type, queue, location);
        if (declared.maxAttempts() == 0 || declared.maxAttempts() < -1) {
            throw new InvalidJobHandlerException(
                    "Handler '%s' (%s): maxAttempts must be at least 1, or -1 for the default, but is %d."
                            .formatted(type, location, declared.maxAttempts()));
        }
        Duration lockTimeout = duration(declared.lockTimeout(), "lockTimeout", type, location);
        if (lockTimeout != null && lockTimeout.compareTo(TaskNames.SHORTEST_LOCK_TIMEOUT) < 0) {
            throw new InvalidJobHandlerException("Handler '%s' (%s): lockTimeout must be at least 1s but is '%s'."
                    .formatted(type, location, declared.lockTimeout()));
        }
        AsyncResult.require(method, beanType, declared.transactional(), type, location);
        Signature signature = Signature.of(method, beanType, type);
        Recurring recurring = AnnotatedElementUtils.findMergedAnnotation(method, Recurring.class);
        if (recurring != null && signature.payloadType() != null) {
            throw DeclaredRecurrence.withPayload(location);
        }
        Method invocable = invocable(bean, method, type, location);
        invocable.setAccessible(true);
        return new JobHandlerMethod(
                type,
                () -> beans.getBean(bean),
                invocable,
                signature,
                queue.isEmpty() ? null : queue,
                declared.maxAttempts() == -1 ? null : declared.maxAttempts(),
                lockTimeout,
                duration(declared.timeout(), "timeout", type, location),
                declared.reapable(),
                declared.transactional(),
                backoff(declared, type, location),
                PayloadValidation.of(method, beans, type),
                recurring == null ? null : DeclaredRecurrence.of(recurring, type, location, this::resolve));
    }

    private static void requireNames(String type, String queue, String location) {
        try {
            TaskNames.requireType(type, "the type of @JobHandler on " + location);
            if (!queue.isEmpty()) {
                TaskNames.requireQueue(queue, "the queue of @JobHandler on " + location);
            }
        } catch (InvalidTaskException e) {
            throw new InvalidJobHandlerException(String.valueOf(e.getMessage()), e);
        }
    }

    /** The method to call on the bean. The bean may be a proxy: a private method would bypass it and see unset fields. */
    private Method invocable(String bean, Method method, String type, String location) {
        if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
            throw new InvalidJobHandlerException(
                    "Handler '%s' (%s) must not be private or static. Make it package-private."
                            .formatted(type, location));
        }
        Class<?> exposed = beans.getType(bean);
        if (exposed == null || !java.lang.reflect.Proxy.isProxyClass(exposed)) {
            if (exposed != null && isClassProxy(exposed) && Modifier.isFinal(method.getModifiers())) {
                throw new InvalidJobHandlerException(
                        "Handler '%s' (%s) cannot be reached: its bean is a proxy and the method is final. Remove final."
                                .formatted(type, location));
            }
            return method;
        }
        try {
            return AopUtils.selectInvocableMethod(method, exposed);
        } catch (IllegalStateException e) {
            throw new InvalidJobHandlerException(
                    "Handler '%s' (%s) cannot be reached: its bean is a JDK proxy without that method. Declare the method in the bean's interface, or let the bean be proxied by class (spring.aop.proxy-target-class=true)."
                            .formatted(type, location),
                    e);
        }
    }

    private static boolean isClassProxy(Class<?> exposed) {
        return exposed != ClassUtils.getUserClass(exposed);
    }

    private @Nullable Backoff backoff(JobHandler declared, String type, String location) {
        String text = resolve(declared.backoff());
        try {
            return text.isEmpty() ? null : Backoff.parse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidJobHandlerException("Handler '%s' (%s): %s".formatted(type, location, e.getMessage()), e);
        }
    }

    private String resolve(String value) {
        String resolved = beans.resolveEmbeddedValue(value);
        return resolved == null ? "" : resolved.strip();
    }

    private @Nullable Duration duration(String value, String attribute, String type, String location) {
        String text = resolve(value);
        if (text.isEmpty()) {
            return null;
        }
        try {
            Duration parsed = Backoff.duration(text);
            if (!parsed.isNegative()) {
                return parsed;
            }
        } catch (IllegalArgumentException e) {
            throw new InvalidJobHandlerException(badDuration(text, value, attribute, type, location), e);
        }
        throw new InvalidJobHandlerException(badDuration(text, value, attribute, type, location));
    }

    private static String badDuration(String found, String declared, String attribute, String type, String location) {
        return "Handler '%s' (%s): %s must be a duration such as '30s', '10m' or 'PT1H' but is '%s'%s."
                .formatted(
                        type,
                        location,
                        attribute,
                        found,
                        found.equals(declared) ? "" : " (declared as '" + declared + "')");
    }
}
