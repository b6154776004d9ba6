package io.konduit.queue.protocol;

import java.util.Set;

/** One rule of the protocol left out or broken, and which invariants can notice. */
enum Sabotage {
    /** The protocol as it should be. */
    NONE,
    /** A worker's writes name the owner alone: those of an earlier run of the same worker are accepted. */
    GUARD_WITHOUT_EPOCH("I3"),
    /** A worker's writes name the epoch alone: a failover gives it out twice. */
    GUARD_WITHOUT_OWNER("I3"),
    /** A worker that claims a task of which it still has a run keeps both. */
    NO_DEDUPE("I3", "dedupe"),
    /** The older run is dropped only when the reply of the claim arrives: what it has sent by then meets the reused epoch. */
    DEDUPE_ONLY_ON_REPLY("I3"),
    /** The handler of a dropped run may still reach the guard of a transaction, and after a failover it passes. */
    DROPPED_RUN_KEEPS_ITS_TRANSACTIONS("I3"),
    /** The reaper takes what it found before, whatever has become of it. */
    RECLAIM_WITHOUT_STATUS_CHECK("state machine", "L2", "F3"),
    /** The reaper takes what it found before, although it has been extended or claimed again. */
    RECLAIM_WITHOUT_EXPIRY_CHECK("L2", "F3"),
    /** The reaper does not skip locked rows. */
    RECLAIM_OF_LOCKED_ROWS("F3"),
    /** The guard of a transaction looks and does not lock. */
    EFFECT_GUARD_WITHOUT_LOCK("I3", "state machine"),
    /** A transactional handler commits although its completion is refused. */
    EFFECT_KEPT_WHEN_COMPLETION_IS_REFUSED("I9"),
    /** The reaper puts a non-reapable task back into the queue. */
    REAP_NON_REAPABLE("L13"),
    /** A worker that stops gives a non-reapable task back although its handler had begun. */
    GIVE_BACK_STARTED_NON_REAPABLE("L13"),
    /** A reclaim takes the attempt back. */
    LOWER_ATTEMPTS_ON_RECLAIM("I4"),
    /** A task that brings its process down may do so for ever. */
    NO_QUARANTINE("I6"),
    /** Nobody reclaims. */
    NO_REAPER("L7", "liveness"),
    /** The reaper reclaims at any time. */
    NO_OUTAGE_GUARD("H10"),
    /** The reaper does not stand back after failed passes and gaps. */
    OUTAGE_UNNOTICED("H10"),
    /** The reaper does not watch the database's clock and start. */
    JUMP_UNNOTICED("H10"),
    /** The reaper of a process that has just started reclaims at once, although it cannot know what was before. */
    FIRST_PASS_UNGUARDED("H10"),
    /** A reaper that stood still during an outage goes on as if it had seen the database all the time. */
    BLIND_GAP_UNNOTICED("H10"),
    /** The reaper checks the clock with one statement and compares leases with the clock of the next. */
    CUTOFF_IS_STATEMENT_CLOCK("H10"),
    /** Workers keep to the third of the lease after a jump: a young lease is not extended within the round. */
    WORKER_UNAWARE_OF_JUMPS("H10"),
    /** A worker that cannot extend lets its handlers go on. */
    NO_SELF_FENCING("H7"),
    /** A handler is started although the lease may have ended while the task waited for its turn. */
    LATE_START("H7"),
    /** A row that is locked counts as lost. */
    BUSY_TAKEN_AS_LOST("H5"),
    /** A completion that changes nothing counts as lost, also when it is the retry of one that did. */
    LOST_REPLY_NOT_LOOKED_UP("F6"),
    /** The history row of a task that was cancelled while it ran counts as its completion. */
    CANCELLED_TAKEN_FOR_COMPLETED("F6"),
    /** The end of a lease is computed from the worker's clock. */
    LEASE_FROM_WORKER_CLOCK("L20");

    private final Set<String> noticedBy;

    Sabotage(String... noticedBy) {
        this.noticedBy = Set.of(noticedBy);
    }

    /** The names of the invariants that this breaks. */
    Set<String> noticedBy() {
        return noticedBy;
    }
}
