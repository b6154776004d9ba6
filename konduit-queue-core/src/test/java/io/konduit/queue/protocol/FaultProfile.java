package io.konduit.queue.protocol;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Which faults a seed may have. */
enum FaultProfile {
    /** Everything but failovers. */
    ANYTHING(EnumSet.complementOf(EnumSet.of(Kind.FAILOVER)), true),
    /** No jumps and no failovers: every lease lasts as long as its worker was told. */
    HONEST_LEASES(EnumSet.complementOf(EnumSet.of(Kind.FAILOVER, Kind.JUMP)), true),
    /**
     * Failovers too. Late statements are left out: one that is still on its way when its worker has been told "lost" and claims
     * the task anew meets the reused epoch, and no memory of the worker can call it back.
     */
    FAILOVERS(EnumSet.allOf(Kind.class), false),
    /** Nodes die or stand still, but whoever is alive reaches the database whenever it can be reached. */
    DATABASE(EnumSet.complementOf(EnumSet.of(Kind.PARTITION)), false);

    private final List<Kind> kinds;
    private final boolean lateStatements;

    FaultProfile(Set<Kind> kinds, boolean lateStatements) {
        this.kinds = List.copyOf(kinds);
        this.lateStatements = lateStatements;
    }

    List<Kind> kinds() {
        return kinds;
    }

    boolean lateStatements() {
        return lateStatements;
    }

    /** A fault that begins at one moment. */
    enum Kind {
        CRASH,
        GRACEFUL_STOP,
        PAUSE,
        PARTITION,
        OUTAGE,
        JUMP,
        FAILOVER,
        /** The database and one node stand still or reboot together, as on one host, and come back at almost the same time. */
        FREEZE;

        boolean ofDatabase() {
            return this == OUTAGE || this == JUMP || this == FAILOVER || this == FREEZE;
        }
    }
}
