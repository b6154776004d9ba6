package io.konduit.queue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.SqlFile;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The statements of the queue as they are sent. */
class SqlStatementsTests {
    private static final Pattern QUALIFIED = Pattern.compile("(\\w+\\.)?\\b(konduit_\\w+)");

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final SqlStatements plain = new SqlStatements(null);
    private final SqlStatements placed = new SqlStatements("jobs");

    /** The names that statements put into the schema are known by their prefix: all that the scripts create must have it. */
    @Test
    @Tag("S3")
    void everythingThatTheScriptsCreateHasThePrefix() {
        assertThat(schemaObjects()).hasSizeGreaterThan(12).allMatch(name -> name.startsWith("konduit_"));
    }

    @Test
    @Tag("S3")
    void everyNameOfAStatementIsInTheSchemaAndIsPutThere() {
        List<String> objects = schemaObjects();
        Set<String> used = new TreeSet<>();
        for (String statement : SqlFile.statements()) {
            Matcher name = QUALIFIED.matcher(withoutComments(placed.get(statement)));
            while (name.find()) {
                assertThat(name.group(1)).as(statement + ": " + name.group(2)).isEqualTo("jobs.");
                assertThat(objects).as(statement).contains(name.group(2));
                used.add(name.group(2));
            }
        }
        assertThat(used).contains("konduit_task", "konduit_tasks", "konduit_timeline", "konduit_task_id_seq");
    }

    @Test
    void everyFragmentIsUsedAndNoneIsMissing() {
        List<String> statements = SqlFile.statements().stream().map(plain::get).toList();
        assertThat(statements).noneMatch(sql -> sql.contains("{{"));
        for (String fragment : SqlFile.fragments()) {
            String text = plain.get("fragment-" + fragment)
                    .lines()
                    .filter(line -> !line.startsWith("--"))
                    .findFirst()
                    .orElseThrow();
            assertThat(statements).as(fragment).anyMatch(sql -> sql.contains(text));
        }
    }

    @Test
    void aVariantIsOneOfTheFilesOnly() {
        assertThat(plain.get("search:held")).contains("t.status = 'HELD'").startsWith("--");
        assertThat(plain.getQuery("search:held")).contains("t.status = 'HELD'").doesNotContain("--");
        assertThat(plain.hasQuery("search:held")).isTrue();
        assertThat(plain.hasQuery("nothing")).isFalse();
        assertThatThrownBy(() -> plain.get("search:nothing"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("fragment-search-nothing.sql");
    }

    private static String withoutComments(String sql) {
        return sql.replaceAll("--[^\n]*", "");
    }

    /** Tables, views, sequences, functions, domains and enums. */
    private static List<String> schemaObjects() {
        return harness.jdbc()
                .sql("select relname::text from pg_class where relnamespace = current_schema()::regnamespace"
                        + " and relkind in ('r', 'p', 'v', 'm', 'S')"
                        + " union select proname::text from pg_proc where pronamespace = current_schema()::regnamespace"
                        + " union select typname::text from pg_type where typnamespace = current_schema()::regnamespace"
                        + " and typtype in ('d', 'e')")
                .query(String.class)
                .list();
    }
}
