package io.konduit.queue.protocol;

import static io.konduit.queue.protocol.TaskRow.Status.CANCELLED;
import static io.konduit.queue.protocol.TaskRow.Status.COMPLETED;
import static io.konduit.queue.protocol.TaskRow.Status.FAILED;
import static io.konduit.queue.protocol.TaskRow.Status.HELD;
import static io.konduit.queue.protocol.TaskRow.Status.PENDING;
import static io.konduit.queue.protocol.TaskRow.Status.RUNNING;

import io.konduit.queue.protocol.TaskRow.Status;
import java.util.EnumSet;
import java.util.Set;

/** The transitions of the state machine after the enqueue: from where to where, by whom, and whether they leave evidence. */
enum Transition {
    CLAIM(Actor.WORKER, EnumSet.of(PENDING), EnumSet.of(RUNNING)),
    EXTEND(Actor.LEASE, EnumSet.of(RUNNING), EnumSet.of(RUNNING)),
    COMPLETE(Actor.LEASE, EnumSet.of(RUNNING), EnumSet.of(COMPLETED)),
    FAIL_RETRY(Actor.LEASE, EnumSet.of(RUNNING), EnumSet.of(PENDING)),
    FAIL_FINAL(Actor.LEASE, EnumSet.of(RUNNING), EnumSet.of(FAILED)),
    RECLAIM(Actor.REAPER, EnumSet.of(RUNNING), EnumSet.of(PENDING)),
    HOLD(Actor.REAPER, EnumSet.of(RUNNING), EnumSet.of(HELD)),
    GIVE_BACK(Actor.LEASE, EnumSet.of(RUNNING), EnumSet.of(PENDING)),
    ABANDON(Actor.REAPER, EnumSet.of(RUNNING), EnumSet.of(PENDING, HELD)),
    CANCEL(Actor.PERSON, EnumSet.of(PENDING, RUNNING, HELD, FAILED), EnumSet.of(CANCELLED)),
    RELEASE(Actor.PERSON, EnumSet.of(HELD), EnumSet.of(PENDING)),
    RETRY(Actor.PERSON, EnumSet.of(FAILED), EnumSet.of(PENDING)),
    FAIL_BY_HAND(Actor.PERSON, EnumSet.of(HELD), EnumSet.of(FAILED)),
    CHECKPOINT(Actor.LEASE, EnumSet.of(RUNNING), EnumSet.of(RUNNING)),
    EFFECT(Actor.LEASE, EnumSet.of(RUNNING), EnumSet.of(RUNNING));

    /** Who may make a transition; LEASE is the worker that holds the task now. */
    enum Actor {
        WORKER,
        LEASE,
        REAPER,
        PERSON
    }

    private final Actor actor;
    private final Set<Status> from;
    private final Set<Status> to;

    Transition(Actor actor, Set<Status> from, Set<Status> to) {
        this.actor = actor;
        this.from = from;
        this.to = to;
    }

    Actor actor() {
        return actor;
    }

    boolean allows(Status before, Status after) {
        return from.contains(before) && to.contains(after);
    }

    /** Whether it must write exactly one incident or audit row. */
    boolean leavesEvidence() {
        return actor == Actor.REAPER || actor == Actor.PERSON;
    }

    /** Whether it counts as a crash of the task. */
    boolean chargesCrash() {
        return actor == Actor.REAPER;
    }
}
