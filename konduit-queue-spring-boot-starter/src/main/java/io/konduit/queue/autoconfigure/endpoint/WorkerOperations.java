package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.WorkerAdministration;
import io.konduit.queue.admin.WorkerNotFoundException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** S14: {@code workers/{id}/drain|resume}; {@code self} is the worker of the instance that answers. */
final class WorkerOperations {
    private static final String SELF = "self";

    private final WorkerAdministration workers;

    WorkerOperations(WorkerAdministration workers) {
        this.workers = workers;
    }

    /** The new state of a worker. */
    record Told(String worker, boolean draining, String actor) implements OperationResponseBody {}

    OperationResponseBody drain(String id, String actor, @Nullable String note) {
        UUID worker = worker(id);
        workers.drain(worker, actor, note);
        return new Told(worker.toString(), true, actor);
    }

    OperationResponseBody resume(String id, String actor, @Nullable String note) {
        UUID worker = worker(id);
        workers.resume(worker, actor, note);
        return new Told(worker.toString(), false, actor);
    }

    private UUID worker(String id) {
        if (id.equals(SELF)) {
            return workers.self().orElseThrow(() -> new WorkerNotFoundException(SELF));
        }
        try {
            return UUID.fromString(id);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException("Expected the worker to be an id of the list of workers, or '" + SELF
                    + "', but found '" + ParameterText.cut(id) + "'.");
        }
    }
}
