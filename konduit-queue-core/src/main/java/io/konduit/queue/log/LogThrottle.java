package io.konduit.queue.log;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Lets the same line through once a minute. For what goes wrong again and again while the database is away: the first
 * line says it, the others would only fill the log.
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
     * Whether to say it now; when not, it was said less than a minute ago.
     *
     * @param what names the line, not its details: few values
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
