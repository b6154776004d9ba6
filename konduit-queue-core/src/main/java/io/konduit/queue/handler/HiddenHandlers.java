package io.konduit.queue.handler;

import io.konduit.queue.JobHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.InstanceSupplier;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds handlers that the declared bean types do not show. A {@code @Bean} method may be declared with an interface or
 * an abstract class, and the class of a lazy bean is unknown until it is created. The bytecode of the method shows
 * which classes it instantiates. A bean whose class has handlers is created now; all others stay lazy. Beans that
 * cannot be analysed are named in a warning.
 */
public final class HiddenHandlers {
    private static final Logger log = LoggerFactory.getLogger(HiddenHandlers.class);
    private static final List<String> FRAMEWORKS = List.of(
            "java.", "javax.", "jakarta.", "kotlin.", "org.springframework.", "io.konduit.queue.autoconfigure.");

    private final ConfigurableListableBeanFactory beans;

    public HiddenHandlers(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Creates the beans that hide handlers, so that the next scan finds them. Called after all other beans have been created. */
    public void reveal() {
        List<String> unknown = new ArrayList<>();
        for (String name : beans.getBeanDefinitionNames()) {
            if (!beans.containsSingleton(name) && !ScopedProxyUtils.isScopedTarget(name)) {
                reveal(name, beans.getMergedBeanDefinition(name), unknown);
            }
        }
        if (!unknown.isEmpty()) {
            log.info(
                    "Lazy beans {} are declared with an interface or an abstract class and could not be searched for @JobHandler methods. If one of them has any, declare its @Bean method with the class, or remove @Lazy",
                    unknown);
        }
    }

    private void reveal(String name, BeanDefinition definition, List<String> unknown) {
        Method supplied = supplied(definition);
        String method = supplied == null ? definition.getFactoryMethodName() : supplied.getName();
        Class<?> owner = supplied == null ? owner(definition) : ClassUtils.getUserClass(supplied.getDeclaringClass());
        Class<?> declared = beans.getType(name, false);
        if (method == null || owner == null || declared == null || definition.isAbstract() || isFramework(owner)) {
            return;
        }
        List<Class<?>> made = MadeTypes.of(owner, method).stream()
                .<@Nullable Class<?>>map(type -> load(type, owner))
                .filter(Objects::nonNull)
                .filter(declared::isAssignableFrom)
                .toList();
        if (made.isEmpty() && Modifier.isAbstract(declared.getModifiers()) && !isFramework(declared)) {
            unknown.add(name);
        } else if (made.stream().anyMatch(type -> type != declared && hasHandlers(type))) {
            if (definition.isSingleton()) {
                beans.getBean(name);
            } else {
                log.warn(
                        "Bean '{}' has @JobHandler methods that are not found: it is not a singleton, and its @Bean method is declared with {}. Declare the method with the class {}",
                        name,
                        declared.getSimpleName(),
                        made.get(0).getSimpleName());
            }
        }
    }

    /** The bean method in an application processed ahead of time, in which bean definitions do not name it; otherwise null. */
    private static @Nullable Method supplied(BeanDefinition definition) {
        return definition instanceof RootBeanDefinition root
                        && root.getInstanceSupplier() instanceof InstanceSupplier<?> supplier
                ? supplier.getFactoryMethod()
                : null;
    }

    /** The class that declares the bean method; null when the bean does not come from one. */
    private @Nullable Class<?> owner(BeanDefinition definition) {
        String factory = definition.getFactoryBeanName();
        if (factory != null) {
            Class<?> type = beans.getType(factory, false);
            return type == null ? null : ClassUtils.getUserClass(type);
        }
        String name = definition.getBeanClassName();
        return name == null ? null : load(name, HiddenHandlers.class);
    }

    private @Nullable Class<?> load(String name, Class<?> beside) {
        ClassLoader loader = beans.getBeanClassLoader();
        try {
            return ClassUtils.forName(name, loader == null ? beside.getClassLoader() : loader);
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    private static boolean hasHandlers(Class<?> type) {
        return !MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<@Nullable JobHandler>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, JobHandler.class))
                .isEmpty();
    }

    private static boolean isFramework(Class<?> type) {
        return FRAMEWORKS.stream().anyMatch(type.getName()::startsWith);
    }
}
