package io.konduit.queue.store;

import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.jdbc.QueueDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/** R1: the slots of history. Tasks that end go to the open one; the others are closed and wait until they are emptied, or empty. */
public final class HistorySlots {
    /** Rows that no slot took: its partition, or the row that names the open slot, was missing. */
    public static final int REST = -1;

    private static final String BEGINNING = "(0,0)";
    private static final String SLOT = "slot";
    private static final String TURN = "turn";
    private static final String LIMIT = "limit";

    private final QueueDatabase database;

    public HistorySlots(QueueDatabase database) {
        this.database = database;
    }

    /**
     * @param turn increases each time a slot is opened
     * @param open since when it was opened; null when it is empty
     * @param closed since when it was closed; null when it is open or empty
     * @param present whether its partition exists
     * @param truncatable whether this user may truncate it
     */
    public record Slot(
            int number,
            long turn,
            @Nullable Duration open,
            @Nullable Duration closed,
            boolean present,
            boolean truncatable) {
        public boolean isEmpty() {
            return open == null;
        }

        public boolean isOpen() {
            return open != null && closed == null;
        }
    }

    /**
     * @param seen identifies this pass
     * @param jump by how much the clock has jumped since the last one
     */
    public record Pass(long seen, Duration jump) {}

    /**
     * What one batch of deletes did.
     *
     * @param more whether the next batch may find expired rows
     * @param last the last row that it looked at; null if there was none
     * @param reached everything up to this row is deleted; null if its first row was kept
     */
    public record Batch(
            int removed,
            boolean more,
            @Nullable String last,
            @Nullable String reached) {}

    /** The position before the first row. */
    public static String beginning() {
        return BEGINNING;
    }

    /**
     * Notes a pass, and takes a jump of the clock since the last one out of the age of the slots.
     *
     * @param previous the last pass of the caller; null if it is the first
     * @param elapsed the most that the clock may have advanced since the caller's last pass
     * @param unwatched the same, if another instance made the last pass
     */
    public Pass observe(@Nullable Pass previous, Duration elapsed, Duration unwatched) {
        return database.control("observe-slots")
                .param("seen", previous == null ? null : previous.seen())
                .param("elapsedMs", elapsed.toMillis())
                .param("unwatchedMs", unwatched.toMillis())
                .query((row, number) -> new Pass(row.getLong("seen"), Duration.ofMillis(row.getLong("jump_ms"))))
                .single();
    }

    /** All slots, in the order in which they were opened. */
    public List<Slot> list() {
        return database.control("list-slots")
                .query((row, number) -> new Slot(
                        row.getInt(SLOT),
                        row.getLong(TURN),
                        age(row, "open_ms"),
                        age(row, "closed_ms"),
                        row.getBoolean("present"),
                        row.getBoolean("truncatable")))
                .list();
    }

    /** Closes the open slot, if any, and opens an empty one; false if another leader did something of this first. */
    public boolean rotate(@Nullable Slot open, Slot next) {
        return database.inControlTransaction(() -> database.control("rotate-slot")
                        .param("open", open == null ? null : open.number())
                        .param("next", next.number())
                        .update())
                == 1;
    }

    /** The number of rows in a slot, counted up to a limit. */
    public long count(Slot slot, long limit) {
        return database.control(of("count-slot", slot.number()))
                .param(LIMIT, limit)
                .query(Long.class)
                .single();
    }

    /**
     * Empties a closed slot at once. The lock that it needs keeps readers of the slot away, so it waits for it only briefly.
     *
     * @return false if the slot is in use elsewhere: try again later
     */
    public boolean truncate(Slot slot, Duration lockTimeout) {
        try {
            return database.inControlTransaction(() -> {
                boolean locked = database.control("lock-slot")
                        .param(SLOT, slot.number())
                        .param(TURN, slot.turn())
                        .param("lockTimeout", lockTimeout.toMillis() + "ms")
                        .query(Integer.class)
                        .optional()
                        .isPresent();
                if (locked) {
                    database.control(of("truncate-slot", slot.number())).update();
                    free(slot);
                }
                return locked;
            });
        } catch (DataAccessException e) {
            if (DatabaseErrors.isLocked(e)) {
                return false;
            }
            throw e;
        }
    }

    /** Deletes the errors of the tasks in a slot, before it is truncated. */
    public void pruneErrors(Slot slot, int batchSize) {
        ErrorKey after = new ErrorKey(Long.MIN_VALUE, Long.MIN_VALUE, batchSize);
        while (after.examined() == batchSize && !Thread.currentThread().isInterrupted()) {
            after = database.control(of("prune-slot-errors", slot.number()))
                    .param("afterTask", after.task())
                    .param("afterEpoch", after.epoch())
                    .param(LIMIT, batchSize)
                    .query((row, number) ->
                            new ErrorKey(row.getLong("task_id"), row.getLong("lease_epoch"), row.getInt("examined")))
                    .optional()
                    .orElse(ErrorKey.NONE);
        }
    }

    private record ErrorKey(long task, long epoch, int examined) {
        static final ErrorKey NONE = new ErrorKey(0, 0, 0);
    }

    /**
     * Deletes a batch of expired rows.
     *
     * @param number the slot, or {@link #REST}
     * @param after where the batch starts
     */
    public Batch prune(int number, Duration keep, String after, int limit) {
        return database.control(of("prune-slot", number))
                .param(SLOT, number)
                .param("keepMs", keep.toMillis())
                .param("after", after)
                .param(LIMIT, limit)
                .query((row, index) -> new Batch(
                        row.getInt("removed"), row.getBoolean("more"), row.getString("last"), row.getString("reached")))
                .single();
    }

    /** Lets a closed slot that is empty by now be opened again; false if it has rows. */
    public boolean freeIfEmpty(Slot slot) {
        boolean empty = database.control(of("is-slot-empty", slot.number()))
                .query(Boolean.class)
                .single();
        return empty && free(slot);
    }

    private boolean free(Slot slot) {
        return database.control("free-slot")
                        .param(SLOT, slot.number())
                        .param(TURN, slot.turn())
                        .update()
                == 1;
    }

    private static String of(String statement, int number) {
        return statement + ":" + (number == REST ? "rest" : number);
    }

    private static @Nullable Duration age(ResultSet row, String column) throws SQLException {
        double millis = row.getDouble(column);
        return row.wasNull() ? null : Duration.ofMillis((long) millis);
    }
}
