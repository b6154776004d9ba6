package io.konduit.queue.autoconfigure.endpoint;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * The variables in the path of the current request. Actuator adds body and query under the same names, so they could
 * replace the task or action that an access rule has allowed by its path. Only on a servlet container: the reactive
 * stack does not expose the current request.
 */
final class PathVariables {
    /** The request attribute in which Spring MVC keeps them. */
    private static final String ATTRIBUTE = "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables";

    private static final boolean SERVLET = ClassUtils.isPresent(
            "org.springframework.web.context.request.RequestContextHolder", PathVariables.class.getClassLoader());

    private PathVariables() {}

    /** A name whose value in these arguments differs from the path. */
    static Optional<String> replaced(Map<String, Object> arguments) {
        return SERVLET ? Request.replaced(arguments) : Optional.empty();
    }

    /** Loaded only if Spring's web classes are present. */
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
