package io.konduit.queue.handler;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;

/** Validates a handler's arguments before it is called, if Bean Validation is available. */
public interface PayloadValidation {
    /** Used when Bean Validation is not on the class path. */
    PayloadValidation NONE = new PayloadValidation() {
        @Override
        public void validate(Object bean, @Nullable Object[] arguments) {
            // nothing to do
        }

        @Override
        public boolean isMissing() {
            return false;
        }
    };

    /**
     * Throws an {@link io.konduit.queue.InvalidPayloadException} when a constraint is violated.
     *
     * @param bean the bean whose method is about to be called; may be a proxy
     */
    void validate(Object bean, @Nullable Object[] arguments);

    /** Whether the handler declares constraints but the application has no validator. */
    boolean isMissing();

    static PayloadValidation of(Method method, BeanFactory beans, String type) {
        return ClassUtils.isPresent("jakarta.validation.Validator", PayloadValidation.class.getClassLoader())
                ? new BeanValidation(method, beans, type)
                : NONE;
    }
}
