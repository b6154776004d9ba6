package io.konduit.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.SchemaMissingException;
import io.konduit.queue.SchemaVersionException;
import io.konduit.queue.jdbc.ServerSessions;
import io.konduit.queue.test.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tables of another version than the release: what is found out, and what the release says to do. */
@Tag("S3")
class SchemaVersionTests {
    private static final String IN_THE_JAR = " under io/konduit/queue/db in the konduit-queue-core jar";

    private TestDatabase database;

    @BeforeEach
    void createDatabase() {
        database = TestDatabase.create();
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void tablesMadeByHandThatTheQueueShouldUpdateAreRefused() throws IOException {
        runByHand("io/konduit/queue/db/V1__tables.sql");
        SchemaVersionException refused = refusal(later()::migrate);
        assertThat(refused)
                .hasMessage("The tables of the queue in schema 'public' were created manually: there is no"
                        + " 'konduit_schema_history'. They are at version 1; this release has version 9002.");
        assertThat(refused.whatToDo())
                .isEqualTo("Run the scripts V9001 to V9002" + IN_THE_JAR
                        + ", then set 'konduit.queue.schema.initialize' to false.");
    }

    @Test
    void tablesMadeByHandThatAreOneScriptBehindAreRefused() throws IOException {
        runByHand("io/konduit/queue/db/V1__tables.sql", "io/konduit/queue/schema/later/V9001__column.sql");
        SchemaVersionException refused = refusal(later()::verify);
        assertThat(refused)
                .hasMessage(
                        "The tables of the queue in schema 'public' are at version 9001, but this release needs version 9002.");
        assertThat(refused.whatToDo()).isEqualTo("Run script V9002" + IN_THE_JAR + ".");
    }

    @Test
    void olderTablesAreRefusedWhereTheQueueMayNotUpdateThem() {
        current().migrate();
        SchemaVersionException refused = refusal(later()::verify);
        assertThat(refused)
                .hasMessage(
                        "The tables of the queue in schema 'public' are at version 1, but this release needs version 9002.");
        assertThat(refused.whatToDo())
                .isEqualTo(
                        "Set 'konduit.queue.schema.initialize' to true for one start, as a user who may change the tables.");
        later().migrate();
        assertThatCode(later()::verify).doesNotThrowAnyException();
    }

    /** During a deployment, instances of both releases run on the newer tables. */
    @Test
    void tablesOfALaterVersionAreAccepted() {
        later().migrate();
        assertThatCode(current()::migrate).doesNotThrowAnyException();
        assertThatCode(current()::verify).doesNotThrowAnyException();
        assertThat(versions()).containsExactly("1", "9001", "9002");
    }

    @Test
    void scriptThatWasRunInPartIsNamedWithWhatIsMissing() throws IOException {
        runByHand("io/konduit/queue/db/V1__tables.sql");
        database.execute("drop table konduit_audit", "drop index konduit_task_zombies");
        for (SchemaVersionException refused : List.of(refusal(current()::verify), refusal(current()::migrate))) {
            assertThat(refused)
                    .hasMessage("The tables of the queue in schema 'public' are incomplete. Missing: konduit_audit,"
                            + " konduit_task_zombies.");
            assertThat(refused.whatToDo()).startsWith("Create what is missing as script V1" + IN_THE_JAR + " does.");
        }
    }

    /** A script that was changed after it had run, as in builds before the first release. */
    @Test
    void tablesOfAnotherFirstScriptAreRefused() {
        current().migrate();
        database.execute(
                "alter domain konduit_priority rename to other_priority",
                "update konduit_schema_history set checksum = 1 where version = '1'");
        assertThatExceptionOfType(SchemaMissingException.class)
                .isThrownBy(current()::migrate)
                .withMessageContaining("Migration checksum mismatch for migration version 1");
        assertThat(refusal(current()::verify)).hasMessageEndingWith("are incomplete. Missing: konduit_priority.");
    }

    private SchemaVersionException refusal(Runnable start) {
        SchemaVersionException[] refused = new SchemaVersionException[1];
        assertThatExceptionOfType(SchemaVersionException.class)
                .isThrownBy(start::run)
                .satisfies(e -> refused[0] = e);
        return refused[0];
    }

    private QueueSchemaMigrator current() {
        return new QueueSchemaMigrator(database.dataSource(), null);
    }

    private QueueSchemaMigrator later() {
        return new QueueSchemaMigrator(
                database.dataSource(), null, Duration.ofSeconds(10), ServerSessions.OWN, LaterScripts.read());
    }

    private void runByHand(String... scripts) throws IOException {
        for (String script : scripts) {
            database.execute(new ClassPathResource(script).getContentAsString(StandardCharsets.UTF_8));
        }
    }

    private List<String> versions() {
        return JdbcClient.create(database.dataSource())
                .sql("select version from konduit_schema_history where type <> 'BASELINE' order by installed_rank")
                .query(String.class)
                .list();
    }
}
