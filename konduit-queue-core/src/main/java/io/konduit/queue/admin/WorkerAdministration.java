package io.konduit.queue.admin;

import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * S14: drains and resumes workers. The decision is stored in the worker's row, with an audit entry. A worker learns of
 * the decision with its next heartbeat; this instance's own worker learns of it at once. The decision holds until the
 * worker is resumed or stops. It does not join the caller's transaction, because an open transaction would block the
 * worker's heartbeat.
 */
public interface WorkerAdministration {
    /** The worker in this instance. */
    Optional<UUID> self();

    /**
     * The worker stops claiming, finishes its runs, and hands tasks over at their next checkpoint. It keeps extending
     * leases, and may keep leading.
     */
    void drain(UUID worker, String actor, @Nullable String note);

    /** The worker claims tasks again. */
    void resume(UUID worker, String actor, @Nullable String note);
}
