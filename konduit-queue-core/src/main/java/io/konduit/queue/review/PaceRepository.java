package io.konduit.queue.review;

import io.konduit.queue.admin.MinutePace;
import io.konduit.queue.jdbc.QueueDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** B1: what ended in each minute of the last hour. One statement for each slot of history, and two more. */
final class PaceRepository {
    private static final double SECONDS = 60;
    private static final String REST = "rest";

    private final QueueDatabase database;

    PaceRepository(QueueDatabase database) {
        this.database = database;
    }

    private record Failures(Instant minute, long failed, double seconds) {
        double of(int cap) {
            return failed < cap || seconds <= 0 ? failed : Math.round(failed * SECONDS / seconds);
        }
    }

    private record Completions(
            double completed,
            boolean estimated,
            @Nullable Double waitedMedian,
            @Nullable Double waitedMost,
            @Nullable Double ranMedian,
            @Nullable Double ranMost) {
        static final Completions NONE = new Completions(0, false, null, null, null, null);

        /** A minute in which a slot was closed lies in two slots. Times are those of the slot with more tasks. */
        Completions and(Completions other) {
            Completions more = completed >= other.completed ? this : other;
            return new Completions(
                    completed + other.completed,
                    estimated || other.estimated,
                    more.waitedMedian,
                    more.waitedMost,
                    more.ranMedian,
                    more.ranMost);
        }
    }

    /**
     * @param cap how many failed tasks of a minute are counted at most
     * @param pages how many pages of a slot are read at most
     */
    List<MinutePace> lastHour(int cap, int pages) {
        Map<Instant, Completions> completions = new HashMap<>();
        for (String slot : slots()) {
            database.application("pace:" + slot).param("pages", pages).query(row -> {
                completions.merge(minute(row), completions(row), Completions::and);
            });
        }
        return database
                .application("pace-failed")
                .param("cap", cap)
                .query((row, number) -> new Failures(minute(row), row.getLong("failed"), row.getDouble("seconds")))
                .stream()
                .map(minute -> pace(minute, completions.getOrDefault(minute.minute(), Completions.NONE), cap))
                .toList();
    }

    private static MinutePace pace(Failures failures, Completions completions, int cap) {
        return new MinutePace(
                failures.minute(),
                Math.round(completions.completed()),
                failures.of(cap),
                completions.estimated() || failures.failed() >= cap,
                completions.waitedMedian(),
                completions.waitedMost(),
                completions.ranMedian(),
                completions.ranMost());
    }

    /** Those that exist: somebody may have dropped one. */
    private List<String> slots() {
        List<String> slots = new ArrayList<>(List.of(REST));
        database.application("list-slots").query(row -> {
            if (row.getBoolean("present")) {
                slots.add(row.getString("slot"));
            }
        });
        return slots;
    }

    private static Instant minute(ResultSet row) throws SQLException {
        return row.getObject("minute", OffsetDateTime.class).toInstant();
    }

    private static Completions completions(ResultSet row) throws SQLException {
        return new Completions(
                row.getDouble("completed"),
                row.getBoolean("estimated"),
                row.getObject("waited_median", Double.class),
                row.getObject("waited_most", Double.class),
                row.getObject("ran_median", Double.class),
                row.getObject("ran_most", Double.class));
    }
}
