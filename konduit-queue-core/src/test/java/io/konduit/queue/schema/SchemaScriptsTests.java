package io.konduit.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.test.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("S3")
class SchemaScriptsTests {
    private final SchemaScripts scripts = new SchemaScripts(
            List.of(),
            new TreeMap<>(Map.of(
                    1,
                            "create domain konduit_d as text; create table konduit_task (id bigint); -- create table konduit_no\n"
                                    + "create index konduit_task_a on konduit_task (id);",
                    2, "alter table konduit_task drop column a;",
                    3, "ALTER TABLE konduit_task\n  add column b integer,\n  add column if not exists c text;",
                    4, "alter table konduit_task alter column b drop not null;")));

    @Test
    void theVersionIsThatOfTheNewestScriptOfWhichEverythingIsThere() {
        assertThat(scripts.newest()).isEqualTo(4);
        assertThat(scripts.versionOf(Set.of())).isZero();
        assertThat(scripts.versionOf(Set.of("konduit_task", "konduit_task_a"))).isZero();
        assertThat(scripts.versionOf(Set.of("konduit_d", "konduit_task", "konduit_task_a", "konduit_task.b")))
                .isEqualTo(1);
        assertThat(scripts.firstAfter(1)).isEqualTo(2);
        assertThat(scripts.versionOf(Set.of("konduit_task", "konduit_task.b", "konduit_task.c")))
                .isEqualTo(3);
    }

    @Test
    void whatTheNewestAdditionsBroughtHasToBeThere() {
        assertThat(scripts.isCurrent(Set.of("konduit_task", "konduit_task_a"))).isFalse();
        assertThat(scripts.isCurrent(Set.of("konduit_task.b", "konduit_task.c")))
                .isTrue();
    }

    @Test
    void whatTheFirstScriptCreatesAndIsNotThereIsMissing() {
        assertThat(scripts.missingFromTheFirst(Set.of("konduit_task", "konduit_task.b")))
                .containsExactly("konduit_d", "konduit_task_a");
    }

    @Test
    void tablesThatTheQueueMadeAreCurrent() throws SQLException {
        try (TestDatabase database = TestDatabase.create()) {
            new QueueSchemaMigrator(database.dataSource(), "jobs").migrate();
            try (Connection connection = database.connect()) {
                FoundSchema found = FoundSchema.read(connection, "jobs");
                SchemaScripts own = SchemaScripts.read();
                assertThat(own.isCurrent(found.objects())).isTrue();
                assertThat(found.hasRun(connection, own.newest())).isTrue();
                assertThat(found.hasRun(connection, own.newest() + 1)).isFalse();
            }
        }
    }
}
