package io.konduit.queue;

import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ListAssert;
import org.jspecify.annotations.Nullable;

/** Says what is expected of a task in the database. Of one that is not live any more only the status is known. */
public final class TaskAssert extends AbstractAssert<TaskAssert, @Nullable StoredTask> {
    private final long id;
    private final String status;
    private final List<StoredIncident> incidents;

    /**
     * @param row null for a task that is not live
     * @param status {@code GONE} for one that is nowhere
     */
    TaskAssert(long id, @Nullable StoredTask row, String status, List<StoredIncident> incidents) {
        super(row, TaskAssert.class);
        this.id = id;
        this.status = status;
        this.incidents = incidents;
    }

    public TaskAssert isPending() {
        return hasStatus("PENDING");
    }

    public TaskAssert isRunning() {
        return hasStatus("RUNNING");
    }

    public TaskAssert isFailed() {
        return hasStatus("FAILED");
    }

    public TaskAssert isCompleted() {
        return hasStatus("COMPLETED");
    }

    public TaskAssert isCancelled() {
        return hasStatus("CANCELLED");
    }

    public TaskAssert isHeld() {
        return hasStatus("HELD");
    }

    public TaskAssert isHeldBecause(HoldReason reason) {
        return isHeld().hasHoldReason(reason.name());
    }

    public TaskAssert hasStatus(String expected) {
        return expect("status", expected, status);
    }

    public TaskAssert hasHoldReason(@Nullable String expected) {
        return expect("hold_reason", expected, live().holdReason());
    }

    public TaskAssert hasAttempts(int expected) {
        return expect("attempts", expected, live().attempts());
    }

    public TaskAssert hasMaxAttempts(@Nullable Integer expected) {
        return expect("max_attempts", expected, live().maxAttempts());
    }

    public TaskAssert hasZombieCount(int expected) {
        return expect("zombie_count", expected, live().zombieCount());
    }

    public TaskAssert hasZombieBase(int expected) {
        return expect("zombie_base", expected, live().zombieBase());
    }

    public TaskAssert hasEpoch(long expected) {
        return expect("lease_epoch", expected, live().leaseEpoch());
    }

    public TaskAssert isReapable(@Nullable Boolean expected) {
        return expect("reapable", expected, live().reapable());
    }

    public TaskAssert isLockedBy(UUID worker) {
        return expect("locked_by", worker, live().lockedBy());
    }

    /** None of the three columns of a lease is set. */
    public TaskAssert hasNoLease() {
        expect("locked_by", null, live().lockedBy());
        expect("locked_at", null, live().lockedAt());
        return expect("lock_timeout_at", null, live().lockTimeoutAt());
    }

    public TaskAssert hasCheckpoint(String json) {
        return expect("checkpoint", json, live().checkpoint());
    }

    public TaskAssert hasNoCheckpoint() {
        return expect("checkpoint", null, live().checkpoint());
    }

    /** Not even the time of one is set. */
    public TaskAssert hasNeverCheckpointed() {
        expect("last_checkpoint_at", null, live().lastCheckpointAt());
        return hasNoCheckpoint();
    }

    public TaskAssert hasNoLastError() {
        return expect("last_error", null, live().lastError());
    }

    public TaskAssert hasFinished() {
        if (live().finishedAt() == null) {
            failWithMessage("Expected finished_at of task %d to be set, but it is null", id);
        }
        return this;
    }

    public TaskAssert hasNotFinished() {
        return expect("finished_at", null, live().finishedAt());
    }

    /** No column has changed. */
    public TaskAssert isUnchangedSince(StoredTask before) {
        return expect("the row", before.everything(), live().everything());
    }

    public TaskAssert hasIncidents(int expected) {
        return expect("the number of incidents", expected, incidents.size());
    }

    /** The evidence of the task, oldest first. */
    public ListAssert<StoredIncident> incidents() {
        return Assertions.assertThat(incidents).as("incidents of task %d", id);
    }

    private StoredTask live() {
        if (actual == null) {
            throw new AssertionError("Expected task " + id + " to be live, but it is " + status);
        }
        return actual;
    }

    private TaskAssert expect(String what, @Nullable Object expected, @Nullable Object found) {
        if (!Objects.equals(expected, found)) {
            failWithActualExpectedAndMessage(
                    found, expected, "Expected %s of task %d to be %s, but it is %s", what, id, expected, found);
        }
        return this;
    }
}
