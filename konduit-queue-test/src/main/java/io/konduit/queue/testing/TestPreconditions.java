package io.konduit.queue.testing;

import io.konduit.queue.jdbc.QueueDatabase;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What must hold before a test of crashes may touch a database. */
final class TestPreconditions {
    private TestPreconditions() {}

    static void requireWatched(ManualWorker worker) {
        if (!WatchedDataSources.isWatched(worker.engine().database().application())) {
            throw new IllegalStateException(
                    "The data source of the queue is not watched, so its commits cannot be seen. Annotate the test with @KonduitQueueTest, or with @Import(KonduitQueueTestConfiguration.class).");
        }
    }

    /** A test of crashes empties and refills tables. */
    static void requireTestDatabase(QueueDatabase database, Set<String> allowed) {
        JdbcClient jdbc = JdbcClient.create(database.application());
        String name = jdbc.sql("select current_database()").query(String.class).single();
        if (!name.toLowerCase(Locale.ROOT).contains("test") && !allowed.contains(name)) {
            throw new IllegalStateException(
                    ("The database '%s' does not look like one for tests: expected a name with 'test' in it. Its tables would be"
                                    + " emptied. If nobody else uses it, say allowDatabase(\"%s\").")
                            .formatted(name, name));
        }
        List<String> workers = jdbc.sql("select name || ' on ' || host || ' (process ' || pid || ')' from "
                        + database.table("konduit_worker")
                        + " where concurrency > 0 and last_beat_at > statement_timestamp() - interval '30 seconds'")
                .query(String.class)
                .list();
        if (!workers.isEmpty()) {
            throw new IllegalStateException(
                    ("Workers use the database '%s': %s. Expected none. Set 'konduit.queue.worker.enabled=false' in tests that"
                                    + " share it. A worker that was killed counts for 30 s.")
                            .formatted(name, workers));
        }
    }
}
