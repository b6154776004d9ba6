package io.konduit.queue.simulation;

import io.konduit.queue.event.LeaseLost;
import io.konduit.queue.simulation.SimulatedDatabase.Change;
import io.konduit.queue.worker.SimulatedNode;
import io.konduit.queue.worker.SimulatedNode.Knowledge;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Judges every committed change. What the database can judge by itself, its triggers and the set-based queries of {@code
 * simulation.observe} do; this knows the runs of the handlers and the state of the nodes as well.
 */
final class Observer {
    private static final int QUARANTINE_AFTER = SimulatedNode.POLICY.quarantineAfter();
    private static final long GRACE_MICROS = micros(SimulatedNode.POLICY.grace());
    private static final long ABANDONED_MICROS = micros(SimulatedNode.ABANDONED);
    private static final long WELL_FOR = SimulatedNode.LOCK_TIMEOUT
            .plus(SimulatedNode.HEARTBEAT.multipliedBy(2))
            .toNanos();

    private static final String ENDED = "LEASE_ENDED";

    /** How long a session may take to be restored. */
    private static final Duration RESTORED = Duration.ofSeconds(4);
    /** After which a worker that was frozen has looked at its handlers, and its session has answered. */
    private static final long AFTER_FREEZE = Duration.ofSeconds(1).toNanos();

    private final Simulation world;
    private final SimulatedDatabase database;
    /** Where each task is, as far as it was observed. */
    private final Map<Long, String> statuses = new TreeMap<>();
    /** Since when nobody but its owner has locked the row. */
    private final Map<Long, Long> disturbed = new HashMap<>();
    /** Leases that were completed by their owners. */
    private final Map<Long, Completed> completed = new HashMap<>();

    /** The workers that tasks were taken from, until the next claim. */
    private final Map<Long, UUID> reclaimedFrom = new HashMap<>();

    /** Leases that were ended because the witness of their worker was gone, and not extended since. */
    private final Set<Claimed> ended = new HashSet<>();

    /** Leases that were claimed, and those that were claimed once more after a failover that lost the first claim. */
    private final Set<Claimed> claimed = new HashSet<>();

    private final Set<Claimed> claimedTwice = new HashSet<>();

    private record Claimed(long taskId, long epoch, UUID owner) {}

    private record Completed(long epoch, UUID owner) {}

    Observer(Simulation world, SimulatedDatabase database) {
        this.world = world;
        this.database = database;
    }

    /** One round trip: sets the clock and judges what was committed since the last look. */
    void look() {
        List<Change> changes = database.observe(world.databaseMicros(), QUARANTINE_AFTER);
        // a statement changes its rows in the order in which they lie in the table, which a vacuum of a page may change
        changes.stream()
                .sorted(Comparator.comparingLong(Change::taskId))
                .forEach(change -> world.trace(() -> "    " + text(change)));
        for (Change change : changes) {
            switch (change.what()) {
                case "VIOLATION" -> world.fail("task " + change.taskId() + ": " + change.detail(), null);
                case "TASK" -> judgeTask(change, changes);
                case "HISTORY" -> judgeHistory(change);
                case "INCIDENT" -> judgeIncident(change, changes);
                default -> {}
            }
        }
    }

    /** The last commits are lost. */
    void failedOver() {
        statuses.clear();
        statuses.putAll(database.statuses());
        completed.clear();
        ended.clear();
    }

    /** Whether nothing waits or runs any more, as far as was observed. */
    boolean hasSeenAllEnd() {
        return statuses.values().stream().noneMatch(status -> status.equals("PENDING") || status.equals("RUNNING"));
    }

    Map<Long, String> statuses() {
        return statuses;
    }

    /** Somebody other than its owner has the row locked, or had until now. */
    void disturb(long taskId) {
        disturbed.put(taskId, world.now());
    }

    private void judgeTask(Change change, List<Change> all) {
        String status = change.newStatus();
        if (status == null) {
            statuses.remove(change.taskId());
            return;
        }
        statuses.put(change.taskId(), status);
        if (change.oldStatus() == null) {
            return;
        }
        boolean reclaimed = change.newZombies() != change.oldZombies();
        require(
                !reclaimed || change.is("RUNNING", "PENDING") || change.is("RUNNING", "HELD"),
                change,
                "T7, T8: only a reclaim of a running task adds to zombie_count");
        Long by = change.checkpointBy();
        require(
                by == null || change.newStatus().equals("RUNNING") && by == change.newEpoch(),
                change,
                "I3: the checkpoint of a run without the lease, of epoch " + by);
        if (change.is("RUNNING", "RUNNING")) {
            if (endsLease(change)) {
                require(hasEvidence(change, all), change, "T18: a lease is ended without evidence");
            } else {
                ended.remove(new Claimed(change.taskId(), change.newEpoch(), owner(change)));
            }
        }
        if (change.is("PENDING", "RUNNING")) {
            Claimed claim = new Claimed(change.taskId(), change.newEpoch(), owner(change));
            if (!claimed.add(claim)) {
                claimedTwice.add(claim);
            }
            require(
                    change.newEndMicros() != null && change.newEndMicros() > change.atMicros(),
                    change,
                    "L1: the lease is born expired");
            if (Objects.equals(change.newOwner(), reclaimedFrom.remove(change.taskId()))) {
                world.claimedAgain(Objects.requireNonNull(change.newOwner()));
            }
        } else if (change.is("RUNNING", "PENDING") || change.is("RUNNING", "HELD")) {
            if (reclaimed) {
                judgeReclaim(change);
                UUID owner = Objects.requireNonNull(change.oldOwner());
                reclaimedFrom.put(change.taskId(), owner);
                world.reclaimedFrom(owner);
            } else {
                judgeReturn(change);
            }
        } else if (change.is("RUNNING", "FAILED")) {
            require(hasEnded(change), change, "I3: failed by a run that goes on, or by another one");
        }
    }

    /** T5 or T9. */
    private void judgeReturn(Change change) {
        require(
                change.attemptsAdded() == change.unchargedAdded(),
                change,
                "T9: an attempt was given back and counts all the same");
        SimulatedProcess owner = world.process(change.oldOwner());
        if (change.unchargedAdded() == 0) {
            require(hasEnded(change), change, "I3: failed by a run that goes on, or by another one");
        } else if (owner != null && owner.node() != null && owner.isAlive()) {
            boolean goesOn = world.runs().of(change.taskId(), change.oldEpoch(), change.oldOwner()) == Runs.State.BEGUN
                    && owner.node().knows(change.taskId(), change.oldEpoch()) == Knowledge.HELD;
            require(!goesOn, change, "I3: given back while its run goes on");
        }
    }

    /** T18: the witness of a worker is gone, and so is one of its leases. */
    private void judgeIncident(Change incident, List<Change> all) {
        if (!ENDED.equals(incident.newStatus())) {
            return;
        }
        world.tally().count("lease ended");
        Change change = all.stream()
                .filter(other -> other.what().equals("TASK")
                        && other.taskId() == incident.taskId()
                        && other.is("RUNNING", "RUNNING")
                        && endsLease(other))
                .findFirst()
                .orElse(null);
        if (change == null || change.newEpoch() != incident.newEpoch()) {
            require(false, incident, "T18: the evidence of an ended lease that has not ended");
            return;
        }
        ended.add(new Claimed(change.taskId(), change.newEpoch(), owner(change)));
        require(change.reapable(), change, "K1: the lease of a task that must not run twice was ended");
        SimulatedProcess owner = world.process(change.oldOwner());
        if (owner == null) {
            return;
        }
        require(!world.holdsWitness(owner), change, "K1: a session of the server holds the witness of " + owner);
        require(
                world.now() - owner.witnessReleasedNanos() >= owner.grace().toNanos(),
                change,
                "K1: the witness of " + owner + " was not gone for its grace");
        require(
                !owner.isWellSince(owner.grace().plus(RESTORED).toNanos()) || owner.isEnding(),
                change,
                "K3: the lease of " + owner + " was ended, which is well");
        judgeRun(change.taskId(), change.newEpoch(), owner);
    }

    private static boolean hasEvidence(Change change, List<Change> all) {
        return all.stream()
                .anyMatch(other -> other.what().equals("INCIDENT")
                        && ENDED.equals(other.newStatus())
                        && other.taskId() == change.taskId()
                        && other.newEpoch() == change.newEpoch()
                        && Objects.equals(other.oldOwner(), change.oldOwner()));
    }

    private static UUID owner(Change change) {
        return Objects.requireNonNull(change.newOwner());
    }

    private static boolean endsLease(Change change) {
        Long before = change.oldEndMicros();
        Long after = change.newEndMicros();
        return before != null && after != null && after < before && after <= change.atMicros();
    }

    /** K3: a handler that runs on although its lease was ended. One that was frozen has a second to find out. */
    private void judgeRun(long taskId, long epoch, SimulatedProcess owner) {
        SimulatedNode node = owner.node();
        boolean goesOn = node != null
                && ended.contains(new Claimed(taskId, epoch, owner.id()))
                && owner.isAlive()
                && world.runs().of(taskId, epoch, owner.id()) == Runs.State.BEGUN
                && node.knows(taskId, epoch) == Knowledge.HELD;
        if (!goesOn) {
            return;
        }
        if (owner.runsSince(AFTER_FREEZE)) {
            world.fail("task " + taskId + ": K3: its handler runs on in " + owner + ", and its lease was ended", null);
        } else {
            world.at(owner.thawsAt() + AFTER_FREEZE, owner + " was frozen", () -> judgeRun(taskId, epoch, owner));
        }
    }

    /** K3: no handler begins with a lease that was ended. */
    void begins(long taskId, long epoch, SimulatedProcess owner) {
        if (ended.contains(new Claimed(taskId, epoch, owner.id())) && owner.runsSince(AFTER_FREEZE)) {
            world.fail("task " + taskId + ": K3: its handler begins in " + owner + ", and its lease was ended", null);
        }
    }

    private boolean hasEnded(Change change) {
        return world.runs().hasEnded(change.taskId(), change.oldEpoch(), change.oldOwner());
    }

    private void judgeReclaim(Change change) {
        Long end = change.oldEndMicros();
        Long progress = change.progressMicros();
        boolean abandoned = progress != null && progress < change.atMicros() - ABANDONED_MICROS;
        require(
                abandoned || end != null && end < change.atMicros() - GRACE_MICROS,
                change,
                "L2, C3: taken back before its lease had ended and the grace was over, and not abandoned either");
        require(
                change.reapable() || change.is("RUNNING", "HELD"),
                change,
                "L13: a task that must not run twice is back in the queue");
        if (change.is("RUNNING", "PENDING") && change.oldZombies() > 0) {
            double wait = Math.min(
                    micros(SimulatedNode.POLICY.backoffCap()),
                    micros(SimulatedNode.POLICY.backoff()) * Math.pow(2, change.oldZombies() - 1));
            require(
                    Objects.requireNonNull(change.runAtMicros()) >= change.atMicros() + (long) (0.74 * wait),
                    change,
                    "L16: back without the wait");
        }
        if (!abandoned) {
            judgeFalseReclaim(change);
        }
    }

    /** H4, H10: a worker that is well keeps its leases, and gives back what it does not know of. */
    private void judgeFalseReclaim(Change change) {
        SimulatedProcess owner = world.process(change.oldOwner());
        if (owner == null || owner.node() == null || !owner.isWellSince(WELL_FOR) || owner.isStopping()) {
            return;
        }
        if (world.now() - disturbed.getOrDefault(change.taskId(), Long.MIN_VALUE / 2) < WELL_FOR
                || !world.clockWasSteadyFor(WELL_FOR)) {
            return;
        }
        Knowledge knows = owner.node().knows(change.taskId(), change.oldEpoch());
        Runs.State run = world.runs().of(change.taskId(), change.oldEpoch(), change.oldOwner());
        require(
                knows == Knowledge.ENDING || knows == Knowledge.NONE && run != null,
                change,
                "H4: taken from " + owner + ", which is well and "
                        + (knows == Knowledge.HELD ? "has it" : "never heard of it"));
    }

    private void judgeHistory(Change change) {
        statuses.put(change.taskId(), Objects.requireNonNull(change.newStatus()));
        if (change.newStatus().equals("COMPLETED")) {
            completed.put(change.taskId(), new Completed(change.newEpoch(), Objects.requireNonNull(change.newOwner())));
            require(
                    world.runs().hasReturned(change.taskId(), change.newEpoch(), change.newOwner()),
                    change,
                    "I3: completed although the run that has the lease has not returned: a stale completion");
        }
    }

    /** A node says that it has lost a lease. */
    void lost(SimulatedProcess process, LeaseLost event) {
        look();
        long id = event.id().value();
        Completed done = completed.get(id);
        if (done != null && done.epoch() == event.leaseEpoch() && done.owner().equals(process.id())) {
            world.fail("task " + id + ": F6: " + process + " takes its own completion for a lost lease", null);
        }
        if (claimedTwice.contains(new Claimed(id, event.leaseEpoch(), process.id()))) {
            // which of the two is lost cannot be told
            return;
        }
        List<Long> held = database.longs(
                "select 1 from konduit_task where id = " + id + " and status = 'RUNNING' and lease_epoch = "
                        + event.leaseEpoch() + " and locked_by = '" + process.id() + "'");
        if (!held.isEmpty()) {
            world.fail("task " + id + ": H5: " + process + " takes a lease for lost that it has", null);
        }
    }

    /** F2: what came too late was noted, if there is an incident to note it on. */
    void noted(long taskId, long epoch, UUID owner) {
        List<Long> missing = database.longs("select 1 from konduit_task_incident where task_id = " + taskId
                + " and lease_epoch = " + epoch + " and previous_owner = '" + owner + "' and late_outcome is null");
        if (!missing.isEmpty()) {
            world.fail("task " + taskId + ": F2: the late outcome of epoch " + epoch + " is not on its incident", null);
        }
    }

    private void require(boolean condition, Change change, String rule) {
        if (!condition) {
            world.fail("task " + change.taskId() + ": " + rule + " (" + text(change) + ")", null);
        }
    }

    private String text(Change change) {
        return change.what().toLowerCase() + " " + change.taskId() + " " + change.oldStatus() + "/" + change.oldEpoch()
                + "@"
                + name(change.oldOwner()) + " -> " + change.newStatus() + "/" + change.newEpoch() + "@"
                + name(change.newOwner())
                + (change.detail() == null ? "" : " " + change.detail().replaceAll("@[0-9a-f-]{36}", ""));
    }

    private String name(@Nullable UUID owner) {
        SimulatedProcess process = world.process(owner);
        return process == null ? "-" : process.name();
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }
}
