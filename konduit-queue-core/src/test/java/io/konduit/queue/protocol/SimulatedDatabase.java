package io.konduit.queue.protocol;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The way to the table and back: latency, outages, cut-off nodes, lost replies, doubled and late statements, clock jumps, failovers. */
final class SimulatedDatabase {
    /** What the database's clock says when the simulation begins. */
    static final long CLOCK_AT_START = 24 * Timing.HOUR;

    private final SimulatedWorld world;
    private final SimulatedStorage rows;
    private final Set<SimulatedProcess> cutOff = new HashSet<>();
    private final Map<Long, SimulatedProcess> transactions = new HashMap<>();
    private long clockOffset = CLOCK_AT_START;
    private long setBackBy;
    private long startedAt;
    private long outageUntil = -1;
    private boolean silent;
    private long nextTransaction;

    SimulatedDatabase(SimulatedWorld world, SimulatedStorage rows) {
        this.world = world;
        this.rows = rows;
    }

    long clock() {
        return world.now() + clockOffset;
    }

    long startedAt() {
        return startedAt;
    }

    /** By how much the clock has been set back in all: leases given before that end later by as much. */
    long setBackBy() {
        return setBackBy;
    }

    boolean down() {
        return world.now() < outageUntil;
    }

    /**
     * Sends a statement. It is executed a moment later, or much later, or twice, or never; the caller hears the result, or that it
     * failed, exactly once, and a failure does not mean that it was not executed.
     *
     * @param waitsFor the task whose row lock the statement waits for, -1 when it skips locked rows
     */
    <T> void call(SimulatedProcess caller, int waitsFor, Supplier<T> statement, Consumer<T> reply, Runnable failure) {
        long latency = latency();
        long sentAt = world.now();
        long server = startedAt;
        if (world.faults().delaysStatement()) {
            world.tally().add(Tally.Count.LATE_STATEMENTS);
            caller.after(Timing.STATEMENT_TIMEOUT, failure);
            long late = Timing.STATEMENT_TIMEOUT + world.random(2 * Timing.LOCK_TIMEOUT);
            world.schedule(late, () -> {
                if (reachable(caller, server)
                        && (waitsFor < 0 || !rows.any(waitsFor).locked())) {
                    statement.get();
                }
            });
            return;
        }
        world.schedule(latency, () -> execute(caller, waitsFor, statement, reply, failure, sentAt, server));
    }

    private <T> void execute(
            SimulatedProcess caller,
            int waitsFor,
            Supplier<T> statement,
            Consumer<T> reply,
            Runnable failure,
            long sentAt,
            long server) {
        long patience = Timing.STATEMENT_TIMEOUT - (world.now() - sentAt);
        if (!reachable(caller, server)) {
            world.tally().add(Tally.Count.FAILED_STATEMENTS);
            boolean refused = server != startedAt || !silent;
            caller.after(refused ? latency() : patience, failure);
        } else if (waitsFor >= 0 && rows.any(waitsFor).locked()) {
            if (patience <= 0) {
                caller.after(0, failure);
            } else {
                world.schedule(
                        2 * Timing.MILLISECOND,
                        () -> execute(caller, waitsFor, statement, reply, failure, sentAt, server));
            }
        } else {
            T result = statement.get();
            if (world.faults().doublesStatement()) {
                world.tally().add(Tally.Count.DOUBLED_STATEMENTS);
                T second = statement.get();
                result = world.random(2) == 0 ? result : second;
            }
            if (world.faults().losesReply()) {
                world.tally().add(Tally.Count.LOST_REPLIES);
                caller.after(latency(), failure);
            } else {
                T answer = result;
                caller.after(latency(), () -> reply.accept(answer));
            }
        }
    }

    private boolean reachable(SimulatedProcess caller, long server) {
        return server == startedAt && !down() && !cutOff.contains(caller);
    }

    private long latency() {
        return 1 + world.random(Timing.LONGEST_LATENCY);
    }

    /** Opens a transaction; the server rolls it back when its client dies or leaves it open for too long. */
    long openTransaction(SimulatedProcess client, SimulatedTable table, int task) {
        long transaction = ++nextTransaction;
        transactions.put(transaction, client);
        world.schedule(Timing.IDLE_TRANSACTION_TIMEOUT, () -> closeTransaction(transaction, table, task));
        return transaction;
    }

    boolean open(long transaction) {
        return transactions.containsKey(transaction);
    }

    void closeTransaction(long transaction, SimulatedTable table, int task) {
        if (transactions.remove(transaction) != null) {
            table.rollBackEffect(task, transaction);
        }
    }

    /** The connections of a dead process are closed, and with them its transactions. */
    void disconnect(SimulatedProcess dead) {
        for (int id = 0; id < rows.size(); id++) {
            TaskRow row = rows.any(id);
            if (transactions.get(row.lockedByTransaction) == dead) {
                row.lockedByTransaction = 0;
            }
        }
        transactions.values().removeIf(client -> client == dead);
    }

    /** Nothing gets through; callers hear of it at once, or not at all when the network swallows their packets. */
    void fail(long duration, boolean silently, boolean restarts) {
        outageUntil = Math.max(outageUntil, world.now() + duration);
        silent = silently;
        if (restarts) {
            startedAt = world.now() + 1;
            rows.releaseLocks();
            transactions.clear();
        }
    }

    void jump(long by) {
        clockOffset += by;
        setBackBy += Math.max(0, -by);
    }

    boolean newestCommitIsClaim() {
        return rows.newestCommitIsClaim();
    }

    /** The newest commits are lost with the old server; the new one comes up after a while. */
    int failOver(int commits, long duration) {
        int lost = rows.rollBack(commits);
        fail(duration, false, true);
        return lost;
    }

    void cutOff(SimulatedProcess process, long duration) {
        cutOff.add(process);
        world.schedule(duration, () -> cutOff.remove(process));
    }

    void heal() {
        outageUntil = -1;
        cutOff.clear();
    }
}
