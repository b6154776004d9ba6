package io.konduit.queue.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.JobHandler;
import io.konduit.queue.Recurring;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskType;
import io.konduit.queue.host.HostApplication;
import io.konduit.queue.test.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** A start that cannot succeed says what is wrong and what to do, and nothing has to be looked up in a stack trace. */
class FailureAnalysisTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private static TestDatabase empty;

    private final ApplicationContextRunner application = host.plainJdbc();

    @BeforeAll
    static void createAnEmptyDatabase() {
        empty = TestDatabase.create();
    }

    @AfterAll
    static void dropIt() {
        empty.close();
    }

    @Test
    @Tag("S9")
    void namesBothHandlersOfOneType() {
        FailureAnalysis analysis = analyse(application.withUserConfiguration(InvoiceJobs.class, LegacyJobs.class));
        assertThat(analysis.getDescription())
                .isEqualTo("Handler 'invoice.send' is declared twice: InvoiceJobs.send and LegacyJobs.deliver."
                        + " Give one of them another type.");
        assertThat(analysis.getAction()).contains("another type", "remove one of the beans");
    }

    @Test
    @Tag("S9")
    void namesBothHandlersOfOneTypeAlsoWhereNoWorkerRuns() {
        FailureAnalysis analysis = analyse(application
                .withPropertyValues("konduit.queue.worker.enabled=false")
                .withUserConfiguration(InvoiceJobs.class, LegacyJobs.class));
        assertThat(analysis.getDescription()).startsWith("Handler 'invoice.send' is declared twice");
    }

    @Test
    @Tag("S9")
    void namesBothHandlersOfOneTypeAlsoWhereBeansAreMadeLazily() {
        FailureAnalysis analysis = analyse(application
                .withPropertyValues("konduit.queue.worker.enabled=false")
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withUserConfiguration(InvoiceJobs.class, LegacyJobs.class));
        assertThat(analysis.getDescription()).startsWith("Handler 'invoice.send' is declared twice");
    }

    @Test
    @Tag("S9")
    void namesAHandlerWithAParameterTooMany() {
        FailureAnalysis analysis = analyse(application.withUserConfiguration(GreedyJobs.class));
        assertThat(analysis.getDescription())
                .isEqualTo(
                        "Handler 'greedy' (GreedyJobs.take) has 3 parameters: expected a payload, a TaskContext, both,"
                                + " or none. Put all data into one payload record.");
        assertThat(analysis.getAction()).contains("a payload, a TaskContext, both or nothing");
    }

    @Test
    @Tag("V3")
    void namesAHandlerThatDisagreesWithItsPayload() {
        FailureAnalysis analysis = analyse(application.withUserConfiguration(DisagreeingJobs.class));
        assertThat(analysis.getDescription())
                .isEqualTo("Handler 'parcel' (DisagreeingJobs.send) takes " + Letter.class.getName()
                        + ", whose @TaskType is 'letter'. Remove the value of @JobHandler, or make them equal.");
        assertThat(analysis.getAction()).startsWith("Correct the named method");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                UnreadableCron.class,
                UnknownZone.class,
                NeverFires.class,
                TooOften.class,
                WithoutHandler.class,
                WithPayload.class,
                CronAndInterval.class
            })
    @Tag("P10")
    void namesAScheduleThatCannotBe(Class<?> jobs) {
        FailureAnalysis analysis = analyse(application.withUserConfiguration(jobs));
        assertThat(analysis.getDescription())
                .contains(jobs.getSimpleName() + ".run")
                .contains("@Recurring");
        assertThat(analysis.getAction()).startsWith("Correct the @Recurring of the named method");
    }

    static class UnreadableCron {
        @JobHandler("run")
        @Recurring(cron = "30 2 * * *")
        void run() {}
    }

    static class UnknownZone {
        @JobHandler("run")
        @Recurring(cron = "0 30 2 * * *", zone = "Europe/Berlim")
        void run() {}
    }

    static class NeverFires {
        @JobHandler("run")
        @Recurring(cron = "0 0 0 30 2 *")
        void run() {}
    }

    static class TooOften {
        @JobHandler("run")
        @Recurring(every = "500ms")
        void run() {}
    }

    static class WithoutHandler {
        @Recurring(every = "1m")
        void run() {}
    }

    static class WithPayload {
        @JobHandler("run")
        @Recurring(every = "1m")
        void run(String payload) {}
    }

    static class CronAndInterval {
        @JobHandler("run")
        @Recurring(cron = "0 30 2 * * *", every = "1m")
        void run() {}
    }

    @TaskType("letter")
    record Letter(String to) {}

    static class DisagreeingJobs {
        @JobHandler("parcel")
        void send(Letter letter) {}
    }

    @Test
    @Tag("S9")
    void namesATransactionalHandlerThatHasNoTransactionManager() {
        FailureAnalysis analysis =
                analyse(HostApplication.on(host.database()).withUserConfiguration(TransactionalJobs.class));
        assertThat(analysis.getDescription())
                .startsWith("Handler 'booked' (TransactionalJobs.book) is transactional, but there is no single"
                        + " transaction manager for the queue's data source.");
    }

    @Test
    @Tag("S3")
    void saysHowMissingTablesCome() {
        FailureAnalysis analysis =
                analyse(HostApplication.on(empty).withPropertyValues("konduit.queue.schema.initialize=false"));
        assertThat(analysis.getDescription())
                .startsWith("The tables of the queue are not in the first schema of the search path: ")
                .contains("konduit_tasks");
        assertThat(analysis.getAction())
                .contains(
                        "Set 'konduit.queue.schema.initialize' to true",
                        "run the scripts under io/konduit/queue/db",
                        "'konduit.queue.schema.name'",
                        "grant usage on schema");
    }

    @Test
    @Tag("S3")
    void namesTheSchemaThatIsMissing() {
        FailureAnalysis analysis = analyse(HostApplication.on(empty)
                .withPropertyValues("konduit.queue.schema.initialize=false", "konduit.queue.schema.name=jobs"));
        assertThat(analysis.getDescription()).startsWith("The tables of the queue are not in schema 'jobs': ");
    }

    @Test
    @Tag("S3")
    void saysWhichRightIsMissingToCreateTheTables() {
        String role = "clerk_" + empty.name();
        empty.execute("create role " + role, "revoke create on schema public from public");
        try {
            FailureAnalysis analysis = analyse(HostApplication.on(empty)
                    .withPropertyValues("spring.datasource.hikari.connection-init-sql=set role " + role));
            assertThat(analysis.getDescription())
                    .startsWith("The tables of the queue could not be created in the first schema of the search path: ")
                    .contains("permission denied for schema public");
            assertThat(analysis.getAction())
                    .contains("grant create on schema", "'konduit.queue.schema.initialize' to false");
        } finally {
            empty.execute("drop role " + role);
        }
    }

    @Test
    @Tag("S3")
    void saysWhoKeepsTheTablesFromBeingUpdated() throws SQLException {
        try (Connection other = empty.connect();
                Statement statement = other.createStatement()) {
            statement.execute("set application_name = 'other-instance'");
            statement.execute("select pg_advisory_lock(x'006b6f6e64756974'::bigint)");
            FailureAnalysis analysis =
                    analyse(HostApplication.on(empty).withPropertyValues("konduit.queue.schema.lock-patience=300ms"));
            assertThat(analysis.getDescription())
                    .startsWith(
                            "Another instance has been updating the tables of the queue for more than 300ms: session ")
                    .contains("'other-instance'");
            assertThat(analysis.getAction())
                    .contains("pg_terminate_backend", "'konduit.queue.schema.lock-patience'", "Nothing was changed");
        }
    }

    @Test
    @Tag("S7")
    void saysWhatToDoAboutADatabaseThatCannotBeWritten() {
        FailureAnalysis analysis = analyse(application.withPropertyValues("spring.datasource.hikari.read-only=true"));
        assertThat(analysis.getDescription()).isEqualTo("Transactions on the queue's data source are read-only.");
        assertThat(analysis.getAction())
                .contains(
                        "default_transaction_read_only", "@KonduitQueueDataSource", "'konduit.queue.enabled' to false");
    }

    @ParameterizedTest
    @Tag("S5")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    konduit.queue.worker.heartbeat-interval=4m  | 'konduit.queue.worker.heartbeat-interval' (4m) must be at most a third of 'konduit.queue.lock-timeout' (5m).
                    konduit.queue.lock-timeout=20s              | 'konduit.queue.worker.heartbeat-interval' (10s) must be at most a third of 'konduit.queue.lock-timeout' (20s).
                    konduit.queue.worker.concurrency=0          | 'konduit.queue.worker.concurrency' (0) must be at least 1.
                    konduit.queue.worker.queue-concurrency.a=1  | 'konduit.queue.worker.queue-concurrency.a' (1) is set, but this worker does not serve that queue: no handler declares it, and 'konduit.queue.worker.queues' is not set.
                    konduit.queue.worker.queues=                | 'konduit.queue.worker.queues' must name at least one queue. Remove it to serve 'default' and the queues that handlers declare.
                    konduit.queue.control-pool-size=1           | 'konduit.queue.control-pool-size' (1) must be at least 2: a claim must not keep an extension waiting.
                    konduit.queue.retry.max-interval=0s         | 'konduit.queue.retry.max-interval' (0s) must be at least 'konduit.queue.retry.initial-interval' (1ms).
                    konduit.queue.retry.jitter=2                | 'konduit.queue.retry.jitter' (2.0) must be between 0 and 1.
                    konduit.queue.schema.name=My-Jobs           | 'konduit.queue.schema.name' must be a plain lower-case name (letters, digits and underscores, not starting with a digit) but is 'My-Jobs'.
                    konduit.queue.schema.lock-patience=0s       | 'konduit.queue.schema.lock-patience' (0s) must be greater than zero.
                    konduit.queue.reaper-interval=-1s           | 'konduit.queue.reaper-interval' (-1s) must not be negative.
                    """)
    void namesImpossibleSettingsWithTheirValuesAndTheRule(String setting, String description) {
        FailureAnalysis analysis = analyse(application.withPropertyValues(setting));
        assertThat(analysis.getDescription()).isEqualTo(description);
        assertThat(analysis.getAction()).contains("docs/configuration.md");
    }

    @ParameterizedTest
    @Tag("S7")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    MySQL      | 9  | The queue needs PostgreSQL 14 or later, but the data source is MySQL 9.
                    PostgreSQL | 13 | The queue needs PostgreSQL 14 or later, but the server is version 13.
                    """)
    void namesADatabaseThatIsNotOne(String product, int version, String description) {
        FailureAnalysis analysis = analyse(application.withBean(
                DataSource.class, () -> new RenamedDatabase(host.database().dataSource(), product, version)));
        assertThat(analysis.getDescription()).isEqualTo(description);
        assertThat(analysis.getAction())
                .contains("'spring.datasource.url'", "@KonduitQueueDataSource", "'konduit.queue.enabled' to false");
    }

    @Test
    @Tag("S5")
    void namesTheChoiceBetweenTwoDataSources() {
        FailureAnalysis analysis = analyse(application.withUserConfiguration(TwoDataSources.class));
        assertThat(analysis.getDescription())
                .isEqualTo("The application has 2 data sources and none is marked for the queue."
                        + " Put @KonduitQueueDataSource on the one that the queue should use, or make one @Primary.");
    }

    static FailureAnalysis analyse(ApplicationContextRunner application) {
        FailureAnalysis[] analysis = new FailureAnalysis[1];
        application.run(context -> {
            assertThat(context).hasFailed();
            analysis[0] = analysisOf(context.getStartupFailure());
            assertThat(analysis[0])
                    .as("analysis of " + context.getStartupFailure())
                    .isNotNull();
        });
        return analysis[0];
    }

    /** What the analyzers that are registered for Spring Boot make of it. */
    static FailureAnalysis analysisOf(Throwable failure) {
        List<FailureAnalyzer> registered = SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        FailureAnalyzer.class,
                        SpringFactoriesLoader.FailureHandler.logging(
                                org.apache.commons.logging.LogFactory.getLog(FailureAnalysisTests.class)));
        return registered.stream()
                .filter(analyzer -> analyzer.getClass().getName().startsWith("io.konduit."))
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    static class InvoiceJobs {
        @JobHandler("invoice.send")
        void send() {}
    }

    static class LegacyJobs {
        @JobHandler("invoice.send")
        void deliver() {}
    }

    static class GreedyJobs {
        @JobHandler("greedy")
        void take(String one, String two, TaskContext task) {}
    }

    static class TransactionalJobs {
        @JobHandler(value = "booked", transactional = true)
        void book() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDataSources {
        @Bean
        HikariDataSource first() {
            return host.database().newPool(1);
        }

        @Bean
        HikariDataSource second() {
            return host.database().newPool(1);
        }
    }
}
