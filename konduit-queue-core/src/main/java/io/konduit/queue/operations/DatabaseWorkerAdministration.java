package io.konduit.queue.operations;

import io.konduit.queue.admin.TaskStateException;
import io.konduit.queue.admin.WorkerAdministration;
import io.konduit.queue.admin.WorkerNotFoundException;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.worker.WorkerRegistry;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@link WorkerAdministration} on the database. */
public final class DatabaseWorkerAdministration implements WorkerAdministration {
    private static final Logger log = LoggerFactory.getLogger(DatabaseWorkerAdministration.class);

    private final WorkerRepository workers;
    private final @Nullable WorkerRegistry own;

    /** @param own of this instance; null when it runs neither tasks nor chores */
    public DatabaseWorkerAdministration(WorkerRepository workers, @Nullable WorkerRegistry own) {
        this.workers = workers;
        this.own = own;
    }

    @Override
    public Optional<UUID> self() {
        return own == null ? Optional.empty() : Optional.of(own.identity().id());
    }

    @Override
    public void drain(UUID worker, String actor, @Nullable String note) {
        AuditText.require(actor, note);
        if (!workers.drain(worker, new Author(actor, note))) {
            throw refused(worker, "asked to drain", "to claim tasks");
        }
        log.info("Worker {} was asked to drain by {}", worker, actor);
        tell(worker, actor);
    }

    @Override
    public void resume(UUID worker, String actor, @Nullable String note) {
        AuditText.require(actor, note);
        if (!workers.resume(worker, new Author(actor, note))) {
            throw refused(worker, "resumed", "to be draining");
        }
        log.info("Worker {} was resumed by {}", worker, actor);
        tell(worker, null);
    }

    private void tell(UUID worker, @Nullable String by) {
        if (own != null && own.identity().id().equals(worker)) {
            own.drain().heard(by);
        }
    }

    private RuntimeException refused(UUID worker, String what, String expected) {
        String state = workers.state(worker).orElseThrow(() -> new WorkerNotFoundException(worker.toString()));
        return new TaskStateException(
                "Worker " + worker + " cannot be " + what + ": expected it " + expected + ", but it is " + state + ".");
    }
}
