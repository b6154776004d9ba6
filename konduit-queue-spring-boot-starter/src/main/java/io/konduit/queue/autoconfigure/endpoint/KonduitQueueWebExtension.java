package io.konduit.queue.autoconfigure.endpoint;

import java.security.Principal;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.util.MimeType;

/** The endpoint over the web: errors are problem details, and decisions carry the authenticated user. */
@EndpointWebExtension(endpoint = KonduitQueueEndpoint.class)
public class KonduitQueueWebExtension {
    private static final String NOBODY = "anonymous";
    private static final MimeType PROBLEM = new MimeType("application", "problem+json");

    private final QueueOperations operations;

    KonduitQueueWebExtension(QueueOperations operations) {
        this.operations = operations;
    }

    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> overview() {
        return answer(() -> operations.reads().overview());
    }

    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> list(
            @Selector String list,
            @Nullable String type,
            @Nullable String status,
            @Nullable String queue,
            @Nullable String key,
            @Nullable String above,
            @Nullable String since,
            @Nullable String before,
            @Nullable String after,
            @Nullable String size,
            SecurityContext security) {
        return answer(() -> operations
                .reads()
                .list(
                        list,
                        new ListQuery(type, status, queue, key, above, since, before, after, size),
                        operations.reads().disclosure().isFor(security)));
    }

    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> show(
            @Selector String list, @Selector String id, SecurityContext security) {
        return answer(() -> operations
                .reads()
                .show(list, id, operations.reads().disclosure().isFor(security)));
    }

    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> command(
            @Selector String command,
            @Nullable String dryRun,
            @Nullable String size,
            @Nullable String note,
            SecurityContext security) {
        return answer(() -> operations.command(command, dryRun, size, note, actor(security)));
    }

    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> bulk(
            @Selector String list,
            @Selector String action,
            @Nullable String queue,
            @Nullable String type,
            @Nullable String status,
            @Nullable String holdReason,
            @Nullable String errorType,
            @Nullable String createdAfter,
            @Nullable String createdBefore,
            @Nullable String finishedAfter,
            @Nullable String finishedBefore,
            @Nullable String all,
            @Nullable String dryRun,
            @Nullable String limit,
            @Nullable String note,
            @Nullable String attempts,
            @Nullable String runAt,
            @Nullable String delay,
            SecurityContext security) {
        BulkBody body = new BulkBody(
                queue,
                type,
                status,
                holdReason,
                errorType,
                createdAfter,
                createdBefore,
                finishedAfter,
                finishedBefore,
                all,
                dryRun,
                limit,
                new ActionBody(note, attempts, runAt, delay));
        return answer(() -> operations.bulk(list, action, body, actor(security)));
    }

    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> act(
            @Selector String list,
            @Selector String id,
            @Selector String action,
            @Nullable String note,
            @Nullable String attempts,
            @Nullable String runAt,
            @Nullable String delay,
            SecurityContext security) {
        ActionBody body = new ActionBody(note, attempts, runAt, delay);
        return answer(() -> operations.act(list, id, action, body, actor(security)));
    }

    static WebEndpointResponse<OperationResponseBody> answer(Supplier<OperationResponseBody> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (RuntimeException e) {
            Problem problem = Problem.of(e);
            if (problem == null) {
                throw e;
            }
            return new WebEndpointResponse<>(problem, problem.status(), PROBLEM);
        }
    }

    private static String actor(SecurityContext security) {
        Principal principal = security.getPrincipal();
        return principal == null ? NOBODY : principal.getName();
    }
}
