package io.konduit.queue.retention;

import io.konduit.queue.settings.RetentionSettings;
import io.konduit.queue.store.HistorySlots;
import io.konduit.queue.store.HistorySlots.Batch;
import io.konduit.queue.store.HistorySlots.Pass;
import io.konduit.queue.store.HistorySlots.Slot;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes old completed and cancelled tasks, a slot of history at a time. One pass:
 *
 * <ol>
 *   <li>takes jumps of the clock out of the age of the slots,
 *   <li>empties closed slots that are old enough, or that are not among the newest {@code completedCount} tasks,
 *   <li>opens the next slot when the open one has taken its share of the retention.
 * </ol>
 *
 * <p>If the node dies after any of these, the next pass continues. Two leaders at once do each step once. If no pass ever
 * runs, the open slot takes everything.
 */
public final class HistoryPruner {
    private static final Logger log = LoggerFactory.getLogger(HistoryPruner.class);

    /** Of eight slots, one is open, one waits to be emptied, and six hold what must be kept. */
    private static final int SHARES = 6;
    /** A reader that comes while truncate waits for its lock has to wait as long. */
    private static final Duration LOCK_TIMEOUT = Duration.ofMillis(50);
    /** How far two clocks drift apart between two passes without being suspicious. */
    private static final Duration DRIFT = Duration.ofMinutes(1);
    /** How much of the time that no instance has measured counts at most as age: the clock may have jumped in it. */
    private static final Duration MOST_UNWATCHED = Duration.ofDays(1);

    private final HistorySlots slots;
    private final Duration keep;
    private final long keepCount;
    private final int batchSize;
    private final LongSupplier nanoTime;
    /** What is known of closed slots, by turn: their number of rows, and up to where their rows are deleted. */
    private final Map<Long, Long> counted = new HashMap<>();

    private final Map<Long, String> reached = new HashMap<>();
    private @Nullable Pass previous;
    private long previousNanos;
    private Duration ahead = Duration.ZERO;
    private volatile @Nullable Mode mode;

    /** How rows are removed. */
    public enum Mode {
        TRUNCATE,
        /** The user may not truncate. */
        DELETE
    }

    public HistoryPruner(HistorySlots slots, RetentionSettings settings, LongSupplier nanoTime) {
        this.slots = slots;
        this.keep = settings.completed();
        this.keepCount = settings.completedCount();
        this.batchSize = settings.batchSize();
        this.nanoTime = nanoTime;
    }

    /** Null before the first pass, or {@link #mode}, of this instance. */
    public @Nullable Mode knownMode() {
        return mode;
    }

    /** Asks the database once; from then on, each pass does. */
    public Mode mode() {
        Mode known = mode;
        return known == null ? modeOf(slots.list()) : known;
    }

    private Mode modeOf(List<Slot> all) {
        Mode found = all.stream().filter(Slot::present).allMatch(Slot::truncatable) ? Mode.TRUNCATE : Mode.DELETE;
        mode = found;
        return found;
    }

    /** One pass; returns how many slots were emptied. */
    public synchronized int pruneOnce() {
        if (keep.isZero() && keepCount == 0) {
            return 0;
        }
        observe();
        List<Slot> all = slots.list();
        modeOf(all);
        int emptied = 0;
        for (Slot slot : expired(all)) {
            if (empty(slot)) {
                emptied++;
                forget(slot);
            }
        }
        if (!keep.isZero()) {
            delete(HistorySlots.REST, HistorySlots.beginning(), keep.plus(ahead));
        }
        rotate(emptied > 0 ? slots.list() : all);
        return emptied;
    }

    private void observe() {
        long now = nanoTime.getAsLong();
        Duration elapsed =
                previous == null ? DRIFT : Duration.ofNanos(now - previousNanos).plus(DRIFT);
        Pass pass = slots.observe(previous, elapsed, unwatched());
        if (!pass.jump().isZero()) {
            log.warn(
                    "The clock of the database jumped by {} s since the last pass. It adds nothing to the age of the history",
                    pass.jump().toSeconds());
            ahead = max(Duration.ZERO, ahead.plus(pass.jump()));
        }
        previous = pass;
        previousNanos = now;
    }

    private Duration unwatched() {
        Duration half = keep.dividedBy(2);
        return keep.isZero() || half.compareTo(MOST_UNWATCHED) > 0 ? MOST_UNWATCHED : half;
    }

    private List<Slot> expired(List<Slot> all) {
        Set<Slot> beyondCount = keepCount == 0 ? Set.of() : beyondCount(all);
        return all.stream()
                .filter(Slot::present)
                .filter(slot -> slot.closed() != null)
                .filter(slot -> isOldEnough(slot, keep) || beyondCount.contains(slot))
                .sorted(Comparator.comparingLong(Slot::turn))
                .toList();
    }

    private static boolean isOldEnough(Slot slot, Duration age) {
        return !age.isZero() && slot.closed() != null && slot.closed().compareTo(age) >= 0;
    }

    /** The slots older than the newest tasks that are to be kept. */
    private Set<Slot> beyondCount(List<Slot> all) {
        Set<Slot> beyond = new HashSet<>();
        long newer = 0;
        List<Slot> used = all.stream()
                .filter(slot -> slot.present() && !slot.isEmpty())
                .sorted(Comparator.comparingLong(Slot::turn).reversed())
                .toList();
        for (Slot slot : used) {
            if (newer >= keepCount && isOldEnough(slot, RetentionSettings.LEAST_AGE)) {
                beyond.add(slot);
            }
            if (newer < keepCount) {
                newer += rows(slot);
            }
        }
        return beyond;
    }

    private long rows(Slot slot) {
        Long known = counted.get(slot.turn());
        if (known != null) {
            return known;
        }
        long rows = slots.count(slot, keepCount);
        if (!slot.isOpen()) {
            counted.put(slot.turn(), rows);
        }
        return rows;
    }

    private boolean empty(Slot slot) {
        if (slot.truncatable()) {
            slots.pruneErrors(slot, batchSize);
            boolean done = slots.truncate(slot, LOCK_TIMEOUT);
            if (done) {
                log.info("Emptied slot {} of the history, closed {} s ago", slot.number(), seconds(slot));
            } else {
                log.debug("Slot {} of the history is in use: truncated by a later pass", slot.number());
            }
            return done;
        }
        String from = reached.getOrDefault(slot.turn(), HistorySlots.beginning());
        reached.put(slot.turn(), delete(slot.number(), from, keep));
        return slots.freeIfEmpty(slot);
    }

    /** Returns up to where all rows are deleted. */
    private String delete(int number, String from, Duration age) {
        String after = from;
        String deleted = from;
        boolean gap = false;
        int all = 0;
        Batch batch;
        do {
            batch = slots.prune(number, age, after, batchSize);
            all += batch.removed();
            if (batch.last() == null) {
                break;
            }
            if (!gap && batch.reached() != null) {
                deleted = batch.reached();
            }
            gap |= !batch.last().equals(batch.reached());
            after = batch.last();
        } while (batch.more() && !Thread.currentThread().isInterrupted());
        if (all > 0) {
            log.info("Removed {} rows (COMPLETED)", all);
        }
        return deleted;
    }

    private void forget(Slot slot) {
        counted.remove(slot.turn());
        reached.remove(slot.turn());
    }

    private void rotate(List<Slot> all) {
        Slot open = all.stream().filter(Slot::isOpen).findFirst().orElse(null);
        if (open != null && open.present() && !isFull(open)) {
            return;
        }
        all.stream()
                .filter(slot -> slot.isEmpty() && slot.present())
                .min(Comparator.comparingLong(Slot::turn))
                .filter(next -> slots.rotate(open, next))
                .ifPresent(next -> log.debug("Opened slot {} of the history", next.number()));
    }

    private boolean isFull(Slot open) {
        boolean old = !keep.isZero() && open.open() != null && open.open().compareTo(keep.dividedBy(SHARES)) >= 0;
        return old || keepCount > 0 && slots.count(open, share()) >= share();
    }

    private long share() {
        return Math.max(1, keepCount / SHARES);
    }

    private static long seconds(Slot slot) {
        return slot.closed() == null ? 0 : slot.closed().toSeconds();
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
