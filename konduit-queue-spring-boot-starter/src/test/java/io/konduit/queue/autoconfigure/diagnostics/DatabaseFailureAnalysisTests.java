package io.konduit.queue.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.host.HostApplication;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.test.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** Each failure of the database at start is met for real, and says the one thing to do. */
@Tag("S3")
class DatabaseFailureAnalysisTests {
    private static final String BY_HAND = "konduit.queue.schema.initialize=false";

    private TestDatabase database;
    private String role;

    @BeforeEach
    void createADatabaseAndARole() {
        database = TestDatabase.create();
        role = "app_" + database.name();
        database.execute("create role " + role);
    }

    @AfterEach
    void dropThem() {
        database.execute("drop owned by " + role, "drop role " + role);
        database.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void aDatabaseThatIsDown(int failTimeout) {
        FailureAnalysis analysis = FailureAnalysisTests.analyse(HostApplication.on(database)
                .withPropertyValues(
                        "spring.datasource.url=jdbc:postgresql://localhost:1/nowhere?user=nobody",
                        "spring.datasource.hikari.connection-timeout=250",
                        "spring.datasource.hikari.initialization-fail-timeout=" + failTimeout));
        assertThat(analysis.getDescription())
                .startsWith("The database of the queue cannot be reached. Connection to localhost:1 refused.");
        assertThat(analysis.getAction()).isEqualTo("Start PostgreSQL, or correct 'spring.datasource.url'.");
    }

    @Test
    void aDatabaseThatDoesNotExist() {
        FailureAnalysis analysis = FailureAnalysisTests.analyse(HostApplication.on(database)
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl().replace(database.name(), "not_there"),
                        "spring.datasource.hikari.connection-timeout=250"));
        assertThat(analysis.getDescription()).contains("database \"not_there\" does not exist");
        assertThat(analysis.getAction())
                .isEqualTo("Create that database, or correct its name in 'spring.datasource.url'.");
    }

    @Test
    void tablesThatWereMadeByHandAndShouldBeMadeByTheQueue() throws Exception {
        runScripts();
        FailureAnalysis analysis = FailureAnalysisTests.analyse(HostApplication.on(database));
        assertThat(analysis.getDescription())
                .isEqualTo("The tables of the queue in schema 'public' were created manually: there is no"
                        + " 'konduit_schema_history'. They are at version %d; this release has version %d."
                                .formatted(newestVersion(), newestVersion()));
        assertThat(analysis.getAction()).isEqualTo("Set 'konduit.queue.schema.initialize' to false.");
    }

    /** What is said of tables of older versions is in {@code SchemaVersionTests} of the core. */
    @ParameterizedTest
    @ValueSource(strings = {BY_HAND, "konduit.queue.schema.initialize=true"})
    void tablesThatWereMadeByHandAndAreIncomplete(String initialize) throws Exception {
        runScripts();
        database.execute("drop table konduit_audit");
        FailureAnalysis analysis =
                FailureAnalysisTests.analyse(HostApplication.on(database).withPropertyValues(initialize));
        assertThat(analysis.getDescription())
                .isEqualTo("The tables of the queue in schema 'public' are incomplete. Missing: konduit_audit.");
        assertThat(analysis.getAction())
                .startsWith(
                        "Create what is missing as script V1 under io/konduit/queue/db in the konduit-queue-core jar does.");
    }

    @ParameterizedTest
    @ValueSource(strings = {BY_HAND, "konduit.queue.schema.initialize=true"})
    void aSchemaThatTheUserMayNotUse(String initialize) {
        new QueueSchemaMigrator(database.dataSource(), "jobs").migrate();
        FailureAnalysis analysis =
                FailureAnalysisTests.analyse(asRole().withPropertyValues("konduit.queue.schema.name=jobs", initialize));
        assertUsageIsMissing(analysis);
    }

    @ParameterizedTest
    @ValueSource(strings = {BY_HAND, "konduit.queue.schema.initialize=true"})
    void aSchemaOfTheSearchPathThatTheUserMayNotUse(String initialize) {
        new QueueSchemaMigrator(database.dataSource(), "jobs").migrate();
        FailureAnalysis analysis = FailureAnalysisTests.analyse(asRole().withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl() + "&currentSchema=jobs,public", initialize));
        assertUsageIsMissing(analysis);
    }

    /** Names with a hyphen are usual, and what is to be run can be copied. */
    @Test
    void theGrantForAUserWhoseNameNeedsQuotesCanBeRun() {
        String quoted = "\"app-" + database.name() + "\"";
        new QueueSchemaMigrator(database.dataSource(), "jobs").migrate();
        database.execute("create role " + quoted);
        try {
            FailureAnalysis analysis = FailureAnalysisTests.analyse(HostApplication.on(database)
                    .withPropertyValues(
                            "spring.datasource.hikari.connection-init-sql=set role " + quoted,
                            "konduit.queue.schema.name=jobs",
                            BY_HAND));
            String grant = analysis.getAction().replaceAll("Run '(.*)' as the owner of the schema\\.", "$1");
            assertThat(grant).isEqualTo("grant usage on schema jobs to " + quoted);
            database.execute(grant);
        } finally {
            database.execute("drop owned by " + quoted, "drop role " + quoted);
        }
    }

    @Test
    void aSchemaOfSomebodyElseIsNoneOfOurs() {
        new QueueSchemaMigrator(database.dataSource(), "others").migrate();
        database.execute("grant create, usage on schema public to " + role);
        asRole().run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void tablesThatTheUserMayNotRead() {
        new QueueSchemaMigrator(database.dataSource(), "jobs").migrate();
        database.execute("grant usage on schema jobs to " + role);
        FailureAnalysis analysis =
                FailureAnalysisTests.analyse(asRole().withPropertyValues("konduit.queue.schema.name=jobs", BY_HAND));
        assertThat(analysis.getDescription())
                .startsWith("The user '" + role + "' of the data source may not read the tables of the queue in schema"
                        + " 'jobs': ")
                .contains("permission denied for");
        assertThat(analysis.getAction())
                .isEqualTo("Run the grants of 'Database roles' in docs/operating.md for '" + role
                        + "' as the owner of the tables.");
    }

    @Test
    void anEmbeddedH2() {
        FailureAnalysis analysis = FailureAnalysisTests.analyse(HostApplication.on(database)
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:shop;MODE=PostgreSQL"));
        assertThat(analysis.getDescription())
                .matches("The queue needs PostgreSQL 14 or later, but the data source is H2 \\d\\.");
        assertThat(analysis.getAction())
                .startsWith(
                        "Set 'spring.datasource.url' to a PostgreSQL database: Spring Boot takes an embedded one where"
                                + " no address is set.");
    }

    private void assertUsageIsMissing(FailureAnalysis analysis) {
        assertThat(analysis.getDescription())
                .isEqualTo("The tables of the queue are in schema 'jobs', which the user '" + role
                        + "' of the data source may not use.");
        assertThat(analysis.getAction())
                .isEqualTo("Run 'grant usage on schema jobs to " + role + "' as the owner of the schema.");
    }

    private ApplicationContextRunner asRole() {
        return HostApplication.on(database)
                .withPropertyValues("spring.datasource.hikari.connection-init-sql=set role " + role);
    }

    private void runScripts() throws Exception {
        for (Resource script : scripts()) {
            database.execute(script.getContentAsString(StandardCharsets.UTF_8));
        }
    }

    private static int newestVersion() throws Exception {
        List<Resource> scripts = scripts();
        return version(scripts.get(scripts.size() - 1));
    }

    private static List<Resource> scripts() throws Exception {
        return Stream.of(new PathMatchingResourcePatternResolver().getResources("classpath:io/konduit/queue/db/V*.sql"))
                .sorted(Comparator.comparingInt(DatabaseFailureAnalysisTests::version))
                .toList();
    }

    private static int version(Resource script) {
        return Integer.parseInt(String.valueOf(script.getFilename()).replaceAll("V(\\d+)__.*", "$1"));
    }
}
