package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.test.TestDatabase;
import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGConnection;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The rules that the hot table enforces itself, whoever writes to it, and the name that each violation carries. */
class TaskRulesTests {
    private static final Map<String, String> GOOD = Map.of(
            "queue", "'default'",
            "type", "'mail'",
            "payload", "'{}'",
            "priority", "2",
            "status", "'PENDING'",
            "run_at", "now()",
            "created_at", "now()");

    private static TestDatabase database;
    private static JdbcClient jdbc;

    @BeforeAll
    static void createTablesWithoutInvariants() {
        database = TestDatabase.create();
        new QueueSchemaMigrator(database.dataSource(), null).migrate();
        jdbc = JdbcClient.create(database.dataSource());
    }

    @AfterAll
    static void dropThem() {
        database.close();
    }

    @BeforeEach
    void empty() {
        database.execute("truncate konduit_task");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            queue           | ''                    | konduit_queue_name_has_1_to_100_characters
            queue           | repeat('q', 101)      | konduit_queue_name_has_1_to_100_characters
            type            | ''                    | konduit_task_type_has_1_to_200_characters
            type            | repeat('t', 201)      | konduit_task_type_has_1_to_200_characters
            unique_key      | ''                    | konduit_unique_key_has_1_to_500_characters
            unique_key      | repeat('k', 501)      | konduit_unique_key_has_1_to_500_characters
            priority        | -1                    | konduit_priority_is_0_to_3
            priority        | 4                     | konduit_priority_is_0_to_3
            status          | 'pending'             | konduit_task_status_is_known
            status          | 'COMPLETED'           | konduit_task_status_is_known
            attempts        | -1                    | konduit_count_is_not_negative
            uncharged       | -1                    | konduit_count_is_not_negative
            zombie_count    | -1                    | konduit_count_is_not_negative
            zombie_base     | -1                    | konduit_count_is_not_negative
            max_attempts    | 0                     | konduit_max_attempts_is_at_least_1
            lease_epoch     | -1                    | konduit_lease_epoch_is_not_negative
            lock_timeout_ms | 0                     | konduit_lock_timeout_ms_is_positive
            timeout_ms      | -1                    | konduit_timeout_ms_is_not_negative
            status          | 'RUNNING'             | konduit_task_running_has_lease_end
            lock_timeout_at | now()                 | konduit_task_running_has_lease_end
            """, quoteCharacter = '"')
    void badValueIsRefusedByInsertAndUpdate(String column, String value, String constraint) {
        assertThat(violation(() -> insert(Map.of(column, value)))).isEqualTo(constraint);
        insert(Map.of());
        assertThat(violation(() -> jdbc.sql("update konduit_task set " + column + " = " + value)
                        .update()))
                .isEqualTo(constraint);
        assertThat(tasks()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            queue           | 'q'
            queue           | repeat('ü', 100)
            type            | repeat('ü', 200)
            unique_key      | repeat('ü', 500)
            unique_key      | null
            priority        | 0
            priority        | 3
            status          | 'HELD'
            status          | 'FAILED'
            attempts        | 2147483647
            uncharged       | null
            max_attempts    | 1
            max_attempts    | null
            lease_epoch     | 9223372036854775807
            lock_timeout_ms | 1
            lock_timeout_ms | null
            timeout_ms      | 0
            timeout_ms      | null
            """, quoteCharacter = '"')
    void goodValueIsAccepted(String column, String value) {
        assertThatCode(() -> insert(Map.of(column, value))).doesNotThrowAnyException();
    }

    @Test
    void copyIsHeldToTheSameRules() throws SQLException, IOException {
        try (Connection connection = database.connect()) {
            PGConnection postgres = connection.unwrap(PGConnection.class);
            String copy =
                    "copy konduit_task (queue, type, payload, priority, status, run_at, created_at) from stdin (format csv)";
            assertThat(postgres.getCopyAPI()
                            .copyIn(copy, new StringReader("default,mail,{},2,PENDING,2030-01-01,2030-01-01")))
                    .isEqualTo(1);
            assertThatExceptionOfType(PSQLException.class)
                    .isThrownBy(() -> postgres.getCopyAPI()
                            .copyIn(copy, new StringReader("default,mail,{},7,PENDING,2030-01-01,2030-01-01")))
                    .satisfies(e -> assertThat(constraint(e)).isEqualTo("konduit_priority_is_0_to_3"));
            assertThatExceptionOfType(PSQLException.class)
                    .isThrownBy(() -> postgres.getCopyAPI()
                            .copyIn(copy, new StringReader("default,mail,{},2,RUNNING,2030-01-01,2030-01-01")))
                    .satisfies(e -> assertThat(constraint(e)).isEqualTo("konduit_task_running_has_lease_end"));
        }
        assertThat(tasks()).isEqualTo(1);
    }

    /** The reaper finds orphans by the end of their lease, so a repair by hand cannot take it away. */
    @Test
    @Tag("L2")
    void runningTaskKeepsTheEndOfItsLease() {
        insert(Map.of("status", "'RUNNING'", "lock_timeout_at", "now()"));
        assertThat(violation(() -> jdbc.sql("update konduit_task set lock_timeout_at = null")
                        .update()))
                .isEqualTo("konduit_task_running_has_lease_end");
        assertThat(violation(() ->
                        jdbc.sql("update konduit_task set status = 'PENDING'").update()))
                .isEqualTo("konduit_task_running_has_lease_end");
        jdbc.sql("update konduit_task set status = 'PENDING', lock_timeout_at = null")
                .update();
    }

    private static void insert(Map<String, String> values) {
        Map<String, String> row = new LinkedHashMap<>(GOOD);
        row.putAll(values);
        List<String> columns = new ArrayList<>(row.keySet());
        jdbc.sql("insert into konduit_task (" + String.join(", ", columns) + ") values ("
                        + columns.stream().map(row::get).collect(Collectors.joining(", ")) + ")")
                .update();
    }

    private static String violation(Runnable write) {
        String[] constraint = new String[1];
        assertThatExceptionOfType(DataIntegrityViolationException.class)
                .isThrownBy(write::run)
                .satisfies(e -> constraint[0] = constraint(e.getMostSpecificCause()));
        return constraint[0];
    }

    private static String constraint(Throwable refusal) {
        ServerErrorMessage message = ((PSQLException) refusal).getServerErrorMessage();
        assertThat(message).isNotNull();
        return message.getConstraint();
    }

    private static int tasks() {
        return jdbc.sql("select count(*) from konduit_task")
                .query(Integer.class)
                .single();
    }
}
