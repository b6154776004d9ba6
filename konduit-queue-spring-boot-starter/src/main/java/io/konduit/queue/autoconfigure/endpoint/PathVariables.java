package io.konduit.queue.autoconfigure.endpoint;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * What the path of the current request says. Actuator adds body and query to it under the same names, so that they could
 * replace the task or the action that an access rule has let through by its path. On a servlet container only: the reactive
 * stack does not tell which request is the current one.
 */
final class PathVariables {
    /** Where Spring MVC keeps them. */
    private static final String ATTRIBUTE = "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables";

    private static final boolean SERVLET = ClassUtils.isPresent(
            "org.springframework.web.context.request.RequestContextHolder", PathVariables.class.getClassLoader());

    private PathVariables() {}

    /** A name whose value in these arguments is not the one in the path. */
    static Optional<String> replaced(Map<String, Object> arguments) {
        return SERVLET ? Request.replaced(arguments) : Optional.empty();
    }

    /** Loaded only where Spring's web classes are. */
    private static final class Request {
        static Optional<String> replaced(Map<String, Object> arguments) {
            RequestAttributes request = RequestContextHolder.getRequestAttributes();
            if (request == null
                    || !(request.getAttribute(ATTRIBUTE, RequestAttributes.SCOPE_REQUEST) instanceof Map<?, ?> path)) {
                return Optional.empty();
            }
            return arguments.entrySet().stream()
                    .filter(argument -> path.containsKey(argument.getKey())
                            && !Objects.equals(argument.getValue(), path.get(argument.getKey())))
                    .map(Map.Entry::getKey)
                    .findFirst();
        }
    }
}
