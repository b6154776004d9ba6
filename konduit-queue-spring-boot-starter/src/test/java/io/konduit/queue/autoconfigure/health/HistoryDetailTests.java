package io.konduit.queue.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.retention.HistoryPruner;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.settings.RetentionSettings;
import io.konduit.queue.store.HistorySlots;
import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whether health says how the history is removed. */
@Tag("R1")
@Tag("O5")
class HistoryDetailTests {
    private static final String ROLE = "konduit_health_limited";
    private static TestDatabase database;

    @BeforeAll
    static void createDatabase() {
        database = TestDatabase.create();
        new QueueSchemaMigrator(database.dataSource(), null).migrate();
        database.execute(
                "do $$ begin create role " + ROLE + "; exception when duplicate_object then null; end $$",
                "grant select, update, delete on all tables in schema public to " + ROLE);
    }

    @AfterAll
    static void dropDatabase() {
        database.execute("drop owned by " + ROLE);
        database.close();
    }

    @Test
    void ownerTruncates() {
        assertThat(detail("postgres")).isEqualTo(Map.of("removedBy", "truncate"));
    }

    @Test
    void userWithoutTheRightDeletesAndIsToldWhatToGrant() {
        assertThat(detail(ROLE))
                .containsEntry("removedBy", "delete")
                .hasEntrySatisfying("note", note -> assertThat(note.toString()).contains("Grant it 'truncate'"));
    }

    private static Map<String, Object> detail(String role) {
        try (HikariDataSource pool = database.newPool(2)) {
            pool.setConnectionInitSql("set role " + role);
            try (ControlPool control = new ControlPool(pool, 1, Duration.ofSeconds(10))) {
                return HistoryDetail.of(new HistoryPruner(
                        new HistorySlots(new QueueDatabase(pool, control, null)),
                        RetentionSettings.defaults(),
                        System::nanoTime));
            }
        }
    }
}
