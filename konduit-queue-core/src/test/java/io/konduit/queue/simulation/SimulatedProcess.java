package io.konduit.queue.simulation;

import io.konduit.queue.worker.SimulatedNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One start of an instance of the application, and what the world does to it. */
final class SimulatedProcess {
    private final Simulation world;
    private final String name;
    private final UUID id;
    private final long startedNanos;
    private final List<Loop> loops = new ArrayList<>();
    private @Nullable SimulatedNode node;
    private boolean alive = true;
    private long frozenUntil = Long.MIN_VALUE;
    private long cutUntil = Long.MIN_VALUE;
    private long troubledNanos = Long.MIN_VALUE / 2;
    private long stopDeadline = Long.MAX_VALUE;
    private boolean ending;
    private Duration grace = Duration.ZERO;
    private long witnessReleasedNanos = Long.MAX_VALUE;
    private boolean registered;

    SimulatedProcess(Simulation world, String name, UUID id) {
        this.world = world;
        this.name = name;
        this.id = id;
        this.startedNanos = world.now();
    }

    /** A loop of the node: at most one step of it is under way. */
    static final class Loop {
        final SimulatedNode.Step step;
        long dueNanos;
        boolean busy;

        Loop(SimulatedNode.Step step, long dueNanos) {
            this.step = step;
            this.dueNanos = dueNanos;
        }
    }

    void runs(SimulatedNode started, Duration witnessGrace) {
        node = started;
        grace = witnessGrace;
        started.steps().forEach(step -> loops.add(new Loop(step, world.now())));
    }

    Simulation world() {
        return world;
    }

    String name() {
        return name;
    }

    UUID id() {
        return id;
    }

    long startedNanos() {
        return startedNanos;
    }

    @Nullable
    SimulatedNode node() {
        return node;
    }

    List<Loop> loops() {
        return loops;
    }

    boolean isAlive() {
        return alive;
    }

    void die() {
        alive = false;
    }

    boolean isFrozen() {
        return world.now() < frozenUntil;
    }

    boolean isCut() {
        return world.now() < cutUntil;
    }

    void freezeUntil(long nanos) {
        frozenUntil = nanos;
        troubledUntil(nanos);
    }

    void cutUntil(long nanos) {
        cutUntil = nanos;
        troubledUntil(nanos);
    }

    /** When it can go on. */
    long thawsAt() {
        return frozenUntil;
    }

    /** What the world did to it may keep its leases from being extended. */
    void troubledUntil(long nanos) {
        troubledNanos = Math.max(troubledNanos, nanos);
    }

    /** Whether nothing has kept it from its work for so long. */
    boolean isWellSince(long nanos) {
        return alive && world.now() - troubledNanos > nanos;
    }

    /** How long its witness must be gone before its leases end. */
    Duration grace() {
        return grace;
    }

    /** A session that held its witness has ended on the server. */
    void witnessReleased(long nanos) {
        witnessReleasedNanos = nanos;
    }

    /** When the last session with its witness ended. */
    long witnessReleasedNanos() {
        return witnessReleasedNanos;
    }

    /** Whether it runs, and has run for so long. */
    boolean runsSince(long nanos) {
        return alive && (frozenUntil == Long.MIN_VALUE || world.now() - frozenUntil >= nanos);
    }

    boolean isStopping() {
        return stopDeadline != Long.MAX_VALUE;
    }

    void stopsBy(long nanos) {
        stopDeadline = nanos;
    }

    /** The last steps of the stop are under way. */
    void ends() {
        ending = true;
    }

    void registered() {
        registered = true;
    }

    /** Whether its loops have begun. */
    boolean isRegistered() {
        return registered;
    }

    boolean isEnding() {
        return ending;
    }

    long stopDeadline() {
        return stopDeadline;
    }

    @Override
    public String toString() {
        return name
                + (alive ? "" : " (gone)")
                + (isStopping() ? " (stopping)" : "")
                + (registered || node == null ? "" : " (new)");
    }
}
