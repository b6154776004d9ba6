package io.konduit.queue.autoconfigure.dashboard;

import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.autoconfigure.endpoint.OperatorApi;
import io.konduit.queue.autoconfigure.endpoint.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.function.ServerRequest;

/**
 * What the pages ask. Names of queues may contain slashes, so no name is part of a path. What changes something is a form, as the token
 * against forged requests is accepted as a field by every set-up of Spring Security. It must also carry a header that
 * no form of another site can send, which protects applications that have switched the token off.
 */
final class DashboardApi {
    static final String HEADER = "X-Konduit-Dashboard";

    private static final boolean SECURITY = ClassUtils.isPresent(
            "org.springframework.security.web.csrf.CsrfToken", DashboardApi.class.getClassLoader());

    private final DashboardAccess access;
    private final OperatorApi operations;
    private final DashboardReads reads;

    DashboardApi(DashboardAccess access, OperatorApi operations, DashboardReads reads) {
        this.access = access;
        this.operations = operations;
        this.reads = reads;
    }

    record Answer(int status, Object body) {
        static Answer refused(DashboardAccess.Refusal refusal) {
            return new Answer(
                    refusal.status(),
                    Map.of("title", refusal.title(), "status", refusal.status(), "detail", refusal.detail()));
        }

        static Answer unknown(String name) {
            return new Answer(
                    404, Map.of("title", "Unknown path", "status", 404, "detail", "There is no '" + name + "' here."));
        }
    }

    /** What a page needs to know before it can act. */
    record Session(
            String user,
            boolean canWrite,
            boolean seesPayloads,
            @Nullable Token token) {}

    /** The token against forged requests, and the name of its field. */
    record Token(String field, String value) {}

    Answer read(ServerRequest request) {
        String name = request.pathVariable("name");
        HttpServletRequest caller = request.servletRequest();
        return answer(() -> {
            Map<String, String> parameters = parameters(request);
            boolean disclose = access.seesPayloads(caller);
            return switch (name) {
                case "session" -> ok(session(caller));
                case "overview" -> ok(reads.overview());
                case "inbox" -> ok(reads.inbox());
                case "hour" -> ok(reads.hour());
                case "groups" -> ok(reads.groups());
                case "workers" -> ok(reads.workers());
                case "days" -> ok(reads.days());
                case "task" -> ok(operations.task(required(parameters, "id"), disclose));
                case "list" -> {
                    String list = required(parameters, "of");
                    yield ok(operations.list(list, without(parameters, "of"), disclose));
                }
                default -> Answer.unknown(name);
            };
        });
    }

    Answer write(ServerRequest request) {
        HttpServletRequest caller = request.servletRequest();
        DashboardAccess.Refusal refusal = access.toWrite(caller);
        if (refusal != null) {
            return Answer.refused(refusal);
        }
        if (caller.getHeader(HEADER) == null) {
            return Answer.refused(new DashboardAccess.Refusal(
                    403,
                    "Not from the dashboard",
                    "Expected the header '" + HEADER
                            + "', which only the dashboard's own pages send. Nothing was changed."));
        }
        String name = request.pathVariable("name");
        String actor = access.actor(caller);
        return answer(() -> {
            Map<String, String> parameters = parameters(request);
            return switch (name) {
                case "act" -> {
                    String list = required(parameters, "list");
                    String id = required(parameters, "id");
                    String action = required(parameters, "action");
                    yield ok(operations.act(list, id, action, without(parameters, "list", "id", "action"), actor));
                }
                case "bulk" -> {
                    String action = required(parameters, "action");
                    yield ok(operations.bulk(action, without(parameters, "action"), actor));
                }
                case "command" -> {
                    String command = required(parameters, "action");
                    yield ok(operations.command(command, without(parameters, "action"), actor));
                }
                default -> Answer.unknown(name);
            };
        });
    }

    private Session session(HttpServletRequest caller) {
        return new Session(
                access.actor(caller),
                access.toWrite(caller) == null,
                access.seesPayloads(caller),
                SECURITY ? Csrf.token(caller) : null);
    }

    /** Loaded only if Spring Security is present. */
    private static final class Csrf {
        static @Nullable Token token(HttpServletRequest request) {
            Object found = request.getAttribute(CsrfToken.class.getName());
            return found instanceof CsrfToken token ? new Token(token.getParameterName(), token.getToken()) : null;
        }
    }

    private static Answer ok(Object body) {
        return new Answer(200, body);
    }

    private interface Operation {
        Answer run();
    }

    private static Answer answer(Operation operation) {
        try {
            return operation.run();
        } catch (RuntimeException e) {
            Problem problem = Problem.of(e);
            if (problem == null) {
                throw e;
            }
            return new Answer(problem.status(), problem);
        }
    }

    /** The token is for Spring Security. */
    private static Map<String, String> parameters(ServerRequest request) {
        Token token = SECURITY ? Csrf.token(request.servletRequest()) : null;
        Map<String, String> single = new LinkedHashMap<>();
        request.params().forEach((name, values) -> {
            if (values.size() > 1) {
                throw new InvalidRequestException(
                        "Expected '" + name + "' once, but found it " + values.size() + " times. Nothing was changed.");
            }
            if (token == null || !name.equals(token.field())) {
                single.put(name, values.get(0));
            }
        });
        return single;
    }

    private static String required(Map<String, String> parameters, String name) {
        String value = parameters.get(name);
        if (value == null || value.isBlank()) {
            throw new InvalidRequestException("Expected '" + name + "', but it is missing. Nothing was changed.");
        }
        return value;
    }

    private static Map<String, String> without(Map<String, String> parameters, String... names) {
        Map<String, String> rest = new LinkedHashMap<>(parameters);
        rest.keySet().removeAll(Set.of(names));
        return rest;
    }
}
