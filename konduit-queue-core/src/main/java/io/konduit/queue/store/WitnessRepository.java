package io.konduit.queue.store;

import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** K1: finds workers whose witness is gone, and ends their leases. */
public final class WitnessRepository {
    private final QueueDatabase database;

    public WitnessRepository(QueueDatabase database) {
        this.database = database;
    }

    /**
     * The witness of one worker.
     *
     * @param goneFor since an instance first saw that it is gone; null while it is held
     * @param grace how long it must have been gone: the worker's own setting, by which it ends its handlers
     */
    public record Seen(UUID worker, @Nullable Duration goneFor, Duration grace, ServerTime time) {}

    /** A lease that was ended. */
    public record EndedLease(long taskId, UUID worker) {}

    /** Every witness that counts on this server. Records which are newly missing and which are back. */
    public List<Seen> look() {
        return database.control("witness-look").query(WitnessRepository::seen).list();
    }

    /** T18: ends leases of these workers whose witness has been gone for their grace, up to the limit. One statement. */
    public List<EndedLease> endLeases(Collection<UUID> workers, String actor, int limit) {
        return database.control("witness-end-leases")
                .param(
                        "workers",
                        SqlArrays.texts(workers.stream().map(UUID::toString).toList()))
                .param("actor", actor)
                .param("limit", limit)
                .query((row, number) ->
                        new EndedLease(row.getLong("task_id"), row.getObject("previous_owner", UUID.class)))
                .list();
    }

    /**
     * K3: from now on, only the leases of this worker decide.
     *
     * @param term greater than that of every earlier take: one that is carried out late changes nothing
     */
    public void renounce(UUID worker, long term) {
        database.control("witness-renounce")
                .param("worker", worker)
                .param("term", term)
                .update();
    }

    private static Seen seen(ResultSet row, int number) throws SQLException {
        Long goneMillis = row.getObject("gone_ms", Long.class);
        return new Seen(
                row.getObject("id", UUID.class),
                goneMillis == null ? null : Duration.ofMillis(goneMillis),
                Duration.ofMillis(row.getLong("witness_grace_ms")),
                ReclaimRepository.readServerTime(row, number));
    }
}
