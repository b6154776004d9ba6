package io.konduit.queue.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The nominal times from one that is due up to now. There may be millions of them after an outage, so they are counted
 * only up to a limit, and the newest ones are found by bisection.
 */
final class DueTimes {
    /** Above it, a count says "at least". */
    static final int MOST_COUNTED = 10_000;

    private static final Duration RESOLUTION = Duration.ofMillis(1);

    private final Recurrence recurrence;
    private final Instant first;
    private final Instant now;

    /** @param first a nominal time that is not after {@code now} */
    DueTimes(Recurrence recurrence, Instant first, Instant now) {
        this.recurrence = recurrence;
        this.first = first;
        this.now = now;
    }

    /** The newest of them, oldest first, at most so many. */
    List<Instant> newest(int count) {
        Deque<Instant> walked = new ArrayDeque<>();
        Instant time = first;
        for (int i = 0; i < MOST_COUNTED; i++) {
            walked.add(time);
            if (walked.size() > count) {
                walked.remove();
            }
            time = recurrence.after(time);
            if (time == null || time.isAfter(now)) {
                return new ArrayList<>(walked);
            }
        }
        return bisected(count);
    }

    /** How many there are before this one, up to {@link #MOST_COUNTED}. */
    long before(Instant kept) {
        long count = 0;
        for (Instant time = first;
                time != null && time.isBefore(kept) && count < MOST_COUNTED;
                time = recurrence.after(time)) {
            count++;
        }
        return count;
    }

    /** The latest moment after which no fewer than {@code count} of them follow. */
    private List<Instant> bisected(int count) {
        Instant enough = first;
        Instant tooFew = now;
        while (Duration.between(enough, tooFew).compareTo(RESOLUTION) > 0) {
            Instant middle = enough.plus(Duration.between(enough, tooFew).dividedBy(2));
            if (following(middle, count).size() == count) {
                enough = middle;
            } else {
                tooFew = middle;
            }
        }
        return following(enough, count);
    }

    private List<Instant> following(Instant time, int count) {
        List<Instant> found = new ArrayList<>();
        for (Instant next = recurrence.after(time);
                next != null && !next.isAfter(now) && found.size() < count;
                next = recurrence.after(next)) {
            found.add(next);
        }
        return found;
    }

    /** The first one after now; null if there is none. */
    @Nullable
    Instant next() {
        return recurrence.after(first, now);
    }
}
