package io.konduit.queue.store;

import io.konduit.queue.jdbc.QueueDatabase;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** When each background chore last succeeded, on any node. */
public final class ChoreRepository {
    private final QueueDatabase database;

    public ChoreRepository(QueueDatabase database) {
        this.database = database;
    }

    public void recordPass(String chore, UUID worker) {
        database.control("record-pass")
                .param("name", chore)
                .param("worker", worker)
                .update();
    }

    /** Records that this worker leads, for the lifetime of its lock. */
    void recordLeader(String name, UUID worker, Duration ttl) {
        database.control("record-leader")
                .param("name", name)
                .param("worker", worker)
                .param("ttlMs", ttl.toMillis())
                .update();
    }

    /** This worker no longer leads. */
    void forgetLeader(String name, UUID worker) {
        database.control("forget-leader")
                .param("name", name)
                .param("worker", worker)
                .update();
    }

    /** How long ago each chore last succeeded. */
    public Map<String, Duration> sinceLastPasses() {
        Map<String, Duration> passes = new HashMap<>();
        database.control("last-passes").query(row -> {
            passes.put(row.getString("name"), Duration.ofMillis(row.getLong("since_ms")));
        });
        return passes;
    }

    /** How long ago the chore last succeeded; empty when it never has. */
    public Optional<Duration> sinceLastPass(String chore) {
        return database.control("last-pass")
                .param("name", chore)
                .query(Long.class)
                .optional()
                .map(Duration::ofMillis);
    }
}
