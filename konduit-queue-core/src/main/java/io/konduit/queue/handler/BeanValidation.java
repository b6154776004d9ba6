package io.konduit.queue.handler;

import io.konduit.queue.InvalidPayloadException;
import jakarta.validation.Constraint;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ElementKind;
import jakarta.validation.Path;
import jakarta.validation.Valid;
import jakarta.validation.Validator;
import jakarta.validation.metadata.MethodDescriptor;
import jakarta.validation.metadata.ParameterDescriptor;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.validation.annotation.Validated;

/**
 * Bean Validation of a handler's arguments: {@code @Valid}, including inside generic types, constraints on the
 * parameters, and Spring's {@code @Validated} with its groups. Messages name properties and constraints, never values.
 */
final class BeanValidation implements PayloadValidation {
    private static final int MAX = 10;

    private final Method method;
    private final BeanFactory beans;
    private final String type;
    private final Class<?>[] groups;
    private final int validated;
    private volatile @Nullable Boolean constrained;

    BeanValidation(Method method, BeanFactory beans, String type) {
        this.method = method;
        this.beans = beans;
        this.type = type;
        Parameter[] parameters = method.getParameters();
        int marked = -1;
        Class<?>[] asked = {};
        for (int i = 0; i < parameters.length; i++) {
            Validated mark = AnnotatedElementUtils.findMergedAnnotation(parameters[i], Validated.class);
            if (mark != null) {
                marked = i;
                asked = mark.value();
            }
        }
        this.validated = marked;
        this.groups = asked;
    }

    @Override
    public boolean isMissing() {
        return validator() == null
                && (validated >= 0
                        || Arrays.stream(method.getParameters())
                                .anyMatch(parameter ->
                                        isConstrained(parameter) || isConstrained(parameter.getAnnotatedType())));
    }

    @Override
    public void validate(Object bean, @Nullable Object[] arguments) {
        if (arguments.length == 0 || validated < 0 && Boolean.FALSE.equals(constrained)) {
            return;
        }
        Validator validator = validator();
        if (validator == null) {
            constrained = false;
            return;
        }
        Object target = target(bean);
        Boolean known = constrained;
        if (known == null) {
            MethodDescriptor descriptor = validator
                    .getConstraintsForClass(target.getClass())
                    .getConstraintsForMethod(method.getName(), method.getParameterTypes());
            known = descriptor != null
                    && descriptor.getParameterDescriptors().stream().anyMatch(BeanValidation::isConstrained);
            constrained = known;
        }
        Set<ConstraintViolation<?>> violations = new HashSet<>();
        if (known) {
            violations.addAll(validator.forExecutables().validateParameters(target, method, arguments, groups));
        }
        Object payload = validated < 0 ? null : arguments[validated];
        if (payload != null && violations.isEmpty()) {
            violations.addAll(validator.validate(payload, groups));
        }
        if (!violations.isEmpty()) {
            throw new InvalidPayloadException(
                    "Expected the payload of type '%s' to be valid, but it violates %s. Correct the sender, or the constraints."
                            .formatted(type, text(violations)));
        }
    }

    private @Nullable Validator validator() {
        return beans.getBeanProvider(Validator.class).getIfUnique();
    }

    /** The proxied bean: a proxy may not show the constraints of its class. */
    private static Object target(Object bean) {
        Object current = bean;
        try {
            while (current instanceof Advised proxy) {
                TargetSource source = proxy.getTargetSource();
                Object behind = source.getTarget();
                if (behind == null) {
                    return current;
                }
                source.releaseTarget(behind);
                current = behind;
            }
        } catch (Exception e) {
            throw new IllegalStateException("The bean behind a proxy of the handler's cannot be reached.", e);
        }
        return current;
    }

    private static boolean isConstrained(ParameterDescriptor parameter) {
        return parameter.hasConstraints()
                || parameter.isCascaded()
                || !parameter.getConstrainedContainerElementTypes().isEmpty();
    }

    private static boolean isConstrained(AnnotatedElement element) {
        return Stream.of(element.getAnnotations())
                .map(each -> each.annotationType())
                .anyMatch(each -> each == Valid.class || each.isAnnotationPresent(Constraint.class));
    }

    private static boolean isConstrained(AnnotatedType declared) {
        return declared instanceof AnnotatedParameterizedType generic
                && Stream.of(generic.getAnnotatedActualTypeArguments())
                        .anyMatch(argument -> isConstrained((AnnotatedElement) argument) || isConstrained(argument));
    }

    private static String text(Set<ConstraintViolation<?>> violations) {
        List<String> texts = violations.stream()
                .map(BeanValidation::text)
                .sorted()
                .distinct()
                .toList();
        String first = String.join(", ", texts.subList(0, Math.min(MAX, texts.size())));
        return texts.size() <= MAX ? first : first + " and " + (texts.size() - MAX) + " more";
    }

    /** The message template of the annotation. Interpolated messages and those built by a validator may quote the value. */
    private static String text(ConstraintViolation<?> violation) {
        String constraint = violation
                .getConstraintDescriptor()
                .getAnnotation()
                .annotationType()
                .getSimpleName();
        String template = violation.getConstraintDescriptor().getMessageTemplate();
        String own = template == null || template.startsWith("{") ? "" : " \"" + template + "\"";
        String path = path(violation.getPropertyPath());
        return "@" + constraint + own + (path.isEmpty() ? "" : " at '" + path + "'");
    }

    /** The path relative to the payload. Map keys are omitted because they are payload content. */
    private static String path(Path path) {
        StringBuilder text = new StringBuilder();
        for (Path.Node node : path) {
            if (node.isInIterable()) {
                text.append(
                        node.getIndex() != null ? "[" + node.getIndex() + "]" : node.getKey() != null ? "[key]" : "[]");
            }
            if (node.getKind() == ElementKind.PROPERTY) {
                text.append(text.isEmpty() ? "" : ".").append(node.getName());
            }
        }
        return text.toString();
    }
}
