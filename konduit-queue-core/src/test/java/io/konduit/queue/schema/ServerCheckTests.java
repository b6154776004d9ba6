package io.konduit.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.UnsupportedDatabaseException;
import io.konduit.queue.test.TestDatabase;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A server that cannot hold the queue is refused before anything is sent to it. */
@Tag("S7")
@Timeout(60)
class ServerCheckTests {
    private TestDatabase database;

    @BeforeEach
    void createADatabase() {
        database = TestDatabase.create();
    }

    @AfterEach
    void dropIt() {
        database.close();
    }

    private DataSource with(String parameters) {
        return new DriverManagerDataSource(database.jdbcUrl() + parameters);
    }

    private UnsupportedDatabaseException refusal(DataSource dataSource) {
        UnsupportedDatabaseException[] refused = new UnsupportedDatabaseException[1];
        assertThatExceptionOfType(UnsupportedDatabaseException.class)
                .isThrownBy(() -> new QueueSchemaMigrator(dataSource, null).migrate())
                .satisfies(e -> refused[0] = e);
        return refused[0];
    }

    @Test
    void aPlainPostgresIsAccepted() {
        assertThatCode(() -> ServerCheck.check(database.dataSource(), null)).doesNotThrowAnyException();
        assertThatCode(() -> ServerCheck.check(database.dataSource(), "jobs")).doesNotThrowAnyException();
        new QueueSchemaMigrator(database.dataSource(), null).migrate();
        assertThatCode(() -> ServerCheck.check(database.dataSource(), null)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CockroachDB CCL v25.2.0 (x86_64-pc-linux-gnu, built 2025/05/09, go1.23.7)",
                "PostgreSQL 15.2-YB-2.25.1.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit",
                "PostgreSQL 14.4 on x86_64-pc-linux-gnu, compiled by gcc, Redshift 1.0.12103",
                "PostgreSQL 14.4 (Greenplum Database 8.0.0 build dev) on x86_64-pc-linux-gnu"
            })
    void aServerThatOnlyAnswersAsPostgresDoesIsRefused(String version) {
        database.execute(
                "create schema fake",
                "create function fake.version() returns text language sql as $$ select '" + version + "'::text $$");
        UnsupportedDatabaseException refused = refusal(with("&currentSchema=fake,pg_catalog"));
        assertThat(refused)
                .hasMessageStartingWith("The queue needs PostgreSQL 14 or later, but the server only answers as"
                        + " PostgreSQL does. Its version() is '" + version.substring(0, 40));
        assertThat(refused.whatToDo()).isNull();
    }

    @Test
    void aReadOnlyDatabaseIsRefused() {
        database.execute("alter database " + database.name() + " set default_transaction_read_only = on");
        UnsupportedDatabaseException refused = refusal(with(""));
        assertThat(refused).hasMessage("Transactions on the queue's data source are read-only.");
        assertThat(refused.whatToDo()).contains("default_transaction_read_only", "@KonduitQueueDataSource");
    }

    @Test
    void aDataSourceThatOnlyReadsIsRefused() {
        assertThat(refusal(with("&readOnly=true")))
                .hasMessage("Transactions on the queue's data source are read-only.");
    }

    @Test
    void aPartitionedTableIsRefused() {
        database.execute(
                "create table konduit_task (id bigint, queue text) partition by list (queue)",
                "create table konduit_task_default partition of konduit_task default");
        UnsupportedDatabaseException refused = refusal(database.dataSource());
        assertThat(refused)
                .hasMessage("The queue needs 'konduit_task' to be one plain table, but it is a partitioned table.");
        assertThat(refused.whatToDo()).contains("plain table", "'konduit.queue.schema.name'");
    }

    @Test
    void aTableInAnotherSchemaIsLookedForThere() {
        database.execute("create schema jobs", "create table jobs.konduit_task (id bigint) partition by list (id)");
        assertThatExceptionOfType(UnsupportedDatabaseException.class)
                .isThrownBy(() -> ServerCheck.check(database.dataSource(), "jobs"));
        assertThatCode(() -> ServerCheck.check(database.dataSource(), null)).doesNotThrowAnyException();
    }

    @Test
    void aTableWithHeirsIsRefused() {
        database.execute("create table konduit_task (id bigint)", "create table archive () inherits (konduit_task)");
        assertThat(refusal(database.dataSource())).hasMessageEndingWith("but it is a table that others inherit from.");
    }

    @Test
    void aTableThatOnceHadAnHeirIsAccepted() {
        new QueueSchemaMigrator(database.dataSource(), null).migrate();
        database.execute("create table archive () inherits (konduit_task)", "drop table archive");
        assertThatCode(() -> ServerCheck.check(database.dataSource(), null)).doesNotThrowAnyException();
    }

    @Test
    void aForeignTableIsRefused() {
        database.execute(
                "create foreign data wrapper elsewhere",
                "create server there foreign data wrapper elsewhere",
                "create foreign table konduit_task (id bigint) server there");
        assertThat(refusal(database.dataSource())).hasMessageEndingWith("but it is a foreign table.");
    }

    /** The catalog of Citus, as far as it is looked at. */
    @ParameterizedTest
    @ValueSource(strings = {"'h', 's'", "'n', 't'"})
    void aDistributedTableIsRefused(String methodAndModel) {
        createCitusCatalog(methodAndModel);
        assertThat(refusal(database.dataSource()))
                .hasMessageEndingWith("but it is distributed over the nodes of a Citus cluster.");
    }

    @Test
    void aTableOfOneShardIsAccepted() {
        createCitusCatalog("'n', 's'");
        assertThatCode(() -> ServerCheck.check(database.dataSource(), null)).doesNotThrowAnyException();
    }

    private void createCitusCatalog(String methodAndModel) {
        database.execute(
                "create table konduit_task (id bigint)",
                "create table pg_dist_partition (logicalrelid regclass, partmethod \"char\", repmodel \"char\")",
                "insert into pg_dist_partition values ('konduit_task', " + methodAndModel + ")");
    }

    @Test
    void aStandbyIsRefused(@TempDir Path directory) throws Exception {
        Path data = directory.resolve("data");
        EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .start()
                .close();
        Files.createFile(data.resolve("standby.signal"));
        try (EmbeddedPostgres standby = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .start()) {
            UnsupportedDatabaseException refused = refusal(standby.getPostgresDatabase());
            assertThat(refused).hasMessage("The server is a standby: it can be read but not written.");
            assertThat(refused.whatToDo()).contains("primary", "targetServerType=primary");
        }
    }
}
