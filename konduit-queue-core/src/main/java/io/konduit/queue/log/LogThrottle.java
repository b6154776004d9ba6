package io.konduit.queue.log;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Lets the same line through once a minute. For errors that repeat while the database is unavailable: the first line
 * reports the problem, the others would only fill the log.
 */
public final class LogThrottle {
    private static final long INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanoTime;
    private final Map<String, Long> said = new HashMap<>();

    public LogThrottle() {
        this(System::nanoTime);
    }

    public LogThrottle(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Whether to log now; false when the line was logged less than a minute ago.
     *
     * @param what identifies the line, not its details: few values
     */
    public synchronized boolean isDue(String what) {
        long now = nanoTime.getAsLong();
        Long last = said.get(what);
        if (last != null && now - last < INTERVAL_NANOS) {
            return false;
        }
        said.put(what, now);
        return true;
    }
}
