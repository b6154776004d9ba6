package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Refuses fields and query parameters that an operation does not have. Actuator ignores them, so a misspelt {@code
 * dryRun} would act. JMX knows the parameters of its operations by itself.
 */
final class KnownParameters implements OperationInvokerAdvisor {
    private static final EndpointId ENDPOINT = EndpointId.of("konduitqueue");

    /** Query parameters that Spring Security may read: not parameters of an operation. */
    private static final String CSRF_TOKEN = "_csrf";

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!endpoint.equals(ENDPOINT)) {
            return invoker;
        }
        // callers send only text; anything else, such as the security context, comes from the server
        Set<String> known = new TreeSet<>();
        parameters.stream()
                .filter(parameter -> parameter.getType() == String.class)
                .forEach(parameter -> known.add(parameter.getName()));
        return context -> {
            Optional<String> replaced = PathVariables.replaced(context.getArguments());
            if (replaced.isPresent()) {
                return KonduitQueueWebExtension.answer(() -> {
                    throw new InvalidRequestException("Expected '" + replaced.get()
                            + "' in the path only, but found it in the body or query as well. Nothing was changed.");
                });
            }
            List<String> unknown = new ArrayList<>(context.getArguments().keySet());
            unknown.removeAll(known);
            unknown.remove(CSRF_TOKEN);
            return unknown.isEmpty()
                    ? invoker.invoke(context)
                    : KonduitQueueWebExtension.answer(() -> {
                        throw refusal(unknown, optional(parameters));
                    });
        };
    }

    /** The parameters that a caller can choose; the rest is in the path. */
    private static Set<String> optional(OperationParameters parameters) {
        Set<String> names = new TreeSet<>();
        parameters.stream()
                .filter(parameter -> !parameter.isMandatory())
                .forEach(parameter -> names.add(parameter.getName()));
        return names;
    }

    static InvalidRequestException refusal(List<String> unknown, Set<String> known) {
        String name = ParameterText.cut(unknown.get(0));
        String nearest = nearest(name, known);
        return new InvalidRequestException("Expected "
                + (known.isEmpty() ? "no field or parameter" : "only " + String.join(", ", known)) + ", but found '"
                + name + "'"
                + (nearest == null ? "." : ". Did you mean '" + nearest + "'?") + " Nothing was changed.");
    }

    /** The known name that differs by case, hyphens or at most two letters; null when none does. */
    static @Nullable String nearest(String name, Set<String> known) {
        String plain = plain(name);
        String nearest = null;
        int least = Math.min(3, plain.length());
        for (String candidate : known) {
            int distance = distance(plain, plain(candidate));
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    private static String plain(String name) {
        return name.replaceAll("[-_. ]", "").toLowerCase(Locale.ROOT);
    }

    /** How many letters have to be added, removed or replaced. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
