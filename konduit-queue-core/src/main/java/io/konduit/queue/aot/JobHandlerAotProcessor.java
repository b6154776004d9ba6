package io.konduit.queue.aot;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** Registers handler methods, which are called by reflection, and what Jackson reads and writes of their payloads. */
final class JobHandlerAotProcessor implements BeanRegistrationAotProcessor {
    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        Set<Method> handlers = MethodIntrospector.selectMethods(
                type, (Method method) -> AnnotatedElementUtils.hasAnnotation(method, JobHandler.class));
        return handlers.isEmpty()
                ? null
                : (generation, code) -> handlers.forEach(handler ->
                        register(handler, type, generation.getRuntimeHints().reflection()));
    }

    private void register(Method handler, Class<?> beanType, ReflectionHints hints) {
        hints.registerMethod(handler, ExecutableMode.INVOKE);
        for (Type parameter : handler.getGenericParameterTypes()) {
            if (parameter != TaskContext.class) {
                PayloadClasses.of(GenericTypeResolver.resolveType(parameter, beanType))
                        .forEach(each -> binding.registerReflectionHints(hints, each));
            }
        }
    }
}
