package io.konduit.queue.store;

import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.settings.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** When a waiting task is to start: at an instant, or after a delay by the database's clock. */
public final class Start {
    private static final Instant EARLIEST = Instant.EPOCH;
    private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final @Nullable Instant runAt;
    private final Duration delay;

    private Start(@Nullable Instant runAt, Duration delay) {
        this.runAt = runAt;
        this.delay = delay;
    }

    public static Start at(Instant runAt) {
        if (runAt.isBefore(EARLIEST) || runAt.isAfter(LATEST)) {
            throw new InvalidTaskException("Expected the new start to be between " + EARLIEST + " and " + LATEST
                    + ", but it is " + runAt + ".");
        }
        return new Start(runAt, Duration.ZERO);
    }

    public static Start after(Duration delay) {
        if (delay.isNegative() || delay.compareTo(LONGEST) > 0) {
            throw new InvalidTaskException("Expected the delay to be between 0s and " + DurationText.of(LONGEST)
                    + ", but it is " + DurationText.of(delay) + ".");
        }
        return new Start(null, delay);
    }

    public JdbcClient.StatementSpec bind(JdbcClient.StatementSpec statement) {
        return statement.param("runAt", utc()).param("delayMs", delay.toMillis());
    }

    private @Nullable OffsetDateTime utc() {
        return runAt == null ? null : runAt.atOffset(ZoneOffset.UTC);
    }

    @Override
    public String toString() {
        return runAt == null ? "in " + DurationText.of(delay) : "at " + runAt;
    }
}
