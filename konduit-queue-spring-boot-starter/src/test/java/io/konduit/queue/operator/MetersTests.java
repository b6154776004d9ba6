package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.HoldReason;
import io.konduit.queue.admin.IncidentClassification;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.metrics.ErrorTagFilter;
import io.konduit.queue.metrics.QueueGauges;
import io.konduit.queue.metrics.QueueMetrics;
import io.konduit.queue.observation.TaskObservations;
import io.konduit.queue.retention.HistoryPruner;
import io.konduit.queue.review.StatisticsRepository;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.ReclaimRepository.Reclaimed;
import io.konduit.queue.test.TestDatabase;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.reflect.Field;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every meter of the queue, in a Prometheus registry, against what the docs, the dashboard and the alerts say. */
@org.junit.jupiter.api.Tag("O4")
class MetersTests {
    private static final String SECTION = "## Every meter";
    private static final String PREFIX = "konduit.queue.";
    private static final Pattern PROMETHEUS_NAME = Pattern.compile("\\bkonduit_queue_[a-z_]+");
    private static final UUID WORKER = UUID.randomUUID();

    private static TestDatabase testDatabase;
    private static ControlPool pool;
    private static QueueDatabase database;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final AtomicBoolean leads = new AtomicBoolean(true);
    private final AtomicLong nanoTime = new AtomicLong();
    private final QueueGauges gauges = new QueueGauges(
            registry,
            StatisticsRepository.onControlPath(database),
            new QueueGauges.Limits(3, Duration.ofMinutes(1)),
            leads::get,
            () -> HistoryPruner.Mode.TRUNCATE,
            nanoTime::get);

    @BeforeAll
    static void createDatabase() {
        testDatabase = TestDatabase.create();
        new QueueSchemaMigrator(testDatabase.dataSource(), null).migrate();
        pool = new ControlPool(testDatabase.dataSource(), 2, Duration.ofSeconds(10));
        database = new QueueDatabase(testDatabase.dataSource(), pool, null);
    }

    @AfterAll
    static void dropDatabase() {
        pool.close();
        testDatabase.close();
    }

    @BeforeEach
    void fill() {
        Rows rows = new Rows(testDatabase);
        rows.clear();
        rows.jdbc().sql("truncate konduit_worker, konduit_chore").update();
        rows.worker("a", Rows.QUEUE);
        rows.silentWorker("b", Rows.QUEUE);
        rows.pending("mail");
        rows.dueLater("mail");
        rows.held("pay");
        rows.failed("mail");
        rows.running("mail", WORKER, "-30 s");
        long often = rows.pending("mail");
        rows.update(often, "zombie_count = 4");
        rows.update(rows.pending("mail"), "zombie_count = 3");
        rows.jdbc()
                .sql(
                        "insert into konduit_chore values ('reaper', clock_timestamp() - interval '10 s', gen_random_uuid())")
                .update();
        gauges.refresh();
    }

    @Test
    void theDatabaseIsNotAskedWhileNobodyReadsTheGauges() {
        new Rows(testDatabase).clear();
        nanoTime.addAndGet(Duration.ofMinutes(5).toNanos());
        gauges.refreshIfRead();
        assertThat(registry.scrape()).as("what it was before").contains("queue=\"" + Rows.QUEUE + "\"");
        gauges.refreshIfRead();
        assertThat(registry.scrape()).doesNotContain("queue=\"" + Rows.QUEUE + "\"");
    }

    @Test
    void theTableInTheDocsListsEveryMeterWithItsTagsAndNoOther() {
        useEverything();
        Map<String, Set<String>> documented = new TreeMap<>();
        for (List<String> row : Docs.rows(Docs.section("operating.md", SECTION))) {
            documented.put(code(row.get(0)), new TreeSet<>(codes(row.get(3))));
        }
        Map<String, Set<String>> found = new TreeMap<>();
        for (Meter meter : registry.getMeters()) {
            found.computeIfAbsent(meter.getId().getName(), name -> new TreeSet<>())
                    .addAll(meter.getId().getTags().stream().map(Tag::getKey).toList());
        }
        assertThat(documented).isEqualTo(found);
    }

    @Test
    void theTableInTheDocsNamesEachMeterAsPrometheusDoes() {
        useEverything();
        Set<String> scraped = scrapedNames();
        for (List<String> row : Docs.rows(Docs.section("operating.md", SECTION))) {
            assertThat(scraped).as(row.get(0)).containsAll(codes(row.get(1)));
        }
    }

    @Test
    void everyNameInTheCodeIsAMeterThatExists() throws ReflectiveOperationException {
        useEverything();
        Set<String> names = new TreeSet<>(Set.of(TaskObservations.ENQUEUE, TaskObservations.EXECUTION));
        for (Field field : Class.forName("io.konduit.queue.metrics.MeterNames").getDeclaredFields()) {
            field.setAccessible(true);
            names.add((String) field.get(null));
        }
        Set<String> found = registry.getMeters().stream()
                .map(meter -> meter.getId().getName().replaceFirst("\\.active$", ""))
                .collect(Collectors.toSet());
        assertThat(found).containsExactlyInAnyOrderElementsOf(names).allMatch(name -> name.startsWith(PREFIX));
    }

    @Test
    void dashboardAndAlertsUseOnlyMetersThatExist() {
        useEverything();
        Set<String> scraped = scrapedNames();
        for (String file : List.of("operating/grafana-dashboard.json", "operating/alerts.yml")) {
            Set<String> used = names(PROMETHEUS_NAME, Docs.read(file));
            assertThat(used).as(file).hasSizeGreaterThan(8);
            assertThat(scraped).as(file).containsAll(used);
        }
    }

    @Test
    void tagsHaveFewValues() {
        useEverything();
        for (int i = 0; i < 1_000; i++) {
            new QueueMetrics(registry).enqueued("queue", "type", 1);
        }
        QueueMetrics metrics = new QueueMetrics(registry);
        for (int i = 0; i < 1_000; i++) {
            metrics.completed(task("queue-" + i, "type-" + i), Duration.ZERO);
        }
        long series = registry.getMeters().stream()
                .filter(meter -> meter.getId().getName().equals("konduit.queue.completed"))
                .count();
        assertThat(series).isLessThanOrEqualTo(202);
        assertThat(registry.getMeters().stream()
                        .flatMap(meter -> meter.getId().getTags().stream())
                        .map(Tag::getKey)
                        .collect(Collectors.toSet()))
                .isSubsetOf("queue", "type", "outcome", "status", "reason", "error");
    }

    @Test
    @org.junit.jupiter.api.Tag("L15")
    void theGaugesTellTheStateOfTheDatabase() {
        assertThat(value("konduit.queue.tasks", "queue", Rows.QUEUE, "status", "pending"))
                .isEqualTo(4);
        assertThat(value("konduit.queue.tasks", "queue", Rows.QUEUE, "status", "held"))
                .isEqualTo(1);
        assertThat(value("konduit.queue.tasks", "queue", Rows.QUEUE, "status", "failed"))
                .isEqualTo(1);
        assertThat(value("konduit.queue.tasks", "queue", Rows.QUEUE, "status", "running"))
                .isEqualTo(1);
        assertThat(value("konduit.queue.held", "queue", Rows.QUEUE, "reason", "not_reapable"))
                .isEqualTo(1);
        assertThat(value("konduit.queue.oldest.pending.age", "queue", Rows.QUEUE))
                .isBetween(89.0, 200.0);
        assertThat(value("konduit.queue.oldest.expired.lease.age")).isBetween(29.0, 140.0);
        assertThat(value("konduit.queue.reaper.last.pass.age")).isBetween(9.0, 120.0);
        assertThat(value("konduit.queue.zombies.above.limit"))
                .as("more than 3, not 3")
                .isEqualTo(1);
        assertThat(value("konduit.queue.workers", "status", "active")).isEqualTo(1);
        assertThat(value("konduit.queue.workers", "status", "stale")).isEqualTo(1);
        assertThat(value("konduit.queue.leader")).isEqualTo(1);
    }

    @Test
    @org.junit.jupiter.api.Tag("E3")
    void anInstanceThatLosesTheLeadTellsNoState() {
        leads.set(false);
        gauges.clear();
        assertNoState();
    }

    @Test
    @org.junit.jupiter.api.Tag("E3")
    void aReadingThatEndsAfterTheLeadIsLostIsThrownAway() {
        leads.set(false);
        gauges.refresh();
        assertNoState();
    }

    @Test
    void aReadingThatIsTooOldIsNotShown() {
        nanoTime.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(value("konduit.queue.zombies.above.limit")).isEqualTo(1);
        nanoTime.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(value("konduit.queue.zombies.above.limit")).isNaN();
    }

    @Test
    void manyFailedTasksDoNotHideTheHeldOnes() {
        new Rows(testDatabase)
                .jdbc()
                .sql(
                        "insert into konduit_task (queue, type, payload, priority, status, run_at, created_at, finished_at)"
                                + " select 'parked', 'mail', '{}', 2, 'FAILED', clock_timestamp(), clock_timestamp(), clock_timestamp()"
                                + " from generate_series(1, 100001)")
                .update();
        gauges.refresh();
        assertThat(value("konduit.queue.tasks", "queue", Rows.QUEUE, "status", "failed"))
                .isEqualTo(StatisticsRepository.CAP);
        assertThat(value("konduit.queue.held", "queue", Rows.QUEUE, "reason", "not_reapable"))
                .isEqualTo(1);
    }

    private void assertNoState() {
        assertThat(value("konduit.queue.leader")).isZero();
        for (String name : List.of("tasks", "held", "oldest.pending.age", "workers")) {
            assertThat(registry.find(PREFIX + name).meters()).as(name).isEmpty();
        }
        for (String name : List.of("zombies.above.limit", "reaper.last.pass.age", "oldest.expired.lease.age")) {
            assertThat(value(PREFIX + name)).as(name).isNaN();
        }
    }

    private double value(String name, String... tags) {
        return registry.get(name).tags(tags).gauge().value();
    }

    private void useEverything() {
        QueueMetrics metrics = new QueueMetrics(registry);
        ClaimedTask task = task(Rows.QUEUE, "mail");
        metrics.enqueued(task.queue(), task.type(), 1);
        metrics.started(task);
        metrics.completed(task, Duration.ZERO);
        metrics.retried(task, Duration.ZERO, "java.io.IOException");
        metrics.failed(task, Duration.ZERO, "shop.Jobs$NoPaperException");
        metrics.givenBack(task);
        metrics.snoozed(task);
        metrics.fired(task.queue(), task.type(), Duration.ofMillis(20));
        metrics.skipped(task.queue(), task.type());
        metrics.dropped(task.queue(), task.type(), 3);
        metrics.leaseLost(task);
        metrics.falselyReclaimed(1);
        metrics.ranLong(task);
        metrics.reclaimed(new Reclaimed(
                1,
                task.queue(),
                task.type(),
                IncidentClassification.QUARANTINED,
                HoldReason.QUARANTINED,
                WORKER,
                1,
                5,
                Duration.ZERO));
        metrics.reclaimed(new Reclaimed(
                2, task.queue(), task.type(), IncidentClassification.ABANDONED, null, WORKER, 1, 1, Duration.ZERO));
        metrics.passSucceeded();
        metrics.passFailed();
        registry.config().meterFilter(new ErrorTagFilter());
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(registry));
        TaskObservations tasks = new TaskObservations(observations);
        // the meters of what is under way are there while it is
        tasks.enqueue("mail", context -> 1);
        Observation run = tasks.execution(task).start();
        tasks.failed(run, new RuntimeException(new IllegalStateException("not to be seen")));
        run.stop();
        assertThat(registry.scrape())
                .containsPattern(
                        "konduit_queue_failed_total\\{error=\"NoPaperException\",queue=\"parked\",type=\"mail\"}")
                .containsPattern("konduit_queue_retried_total\\{error=\"IOException\",queue=\"parked\",type=\"mail\"}")
                .containsPattern(
                        "konduit_queue_execution_seconds_count\\{error=\"IllegalStateException\",outcome=\"error\"")
                .doesNotContain("not to be seen", "HandlerFailure", "exception=");
    }

    private Set<String> scrapedNames() {
        return names(PROMETHEUS_NAME, registry.scrape());
    }

    private static Set<String> names(Pattern pattern, String text) {
        Set<String> names = new TreeSet<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            names.add(matcher.group());
        }
        return names;
    }

    private static String code(String cell) {
        return codes(cell).get(0);
    }

    private static List<String> codes(String cell) {
        List<String> codes = new ArrayList<>();
        Matcher matcher = Pattern.compile("`([^`]+)`").matcher(cell);
        while (matcher.find()) {
            codes.add(matcher.group(1));
        }
        return codes;
    }

    private static ClaimedTask task(String queue, String type) {
        OffsetDateTime now = OffsetDateTime.now();
        return new ClaimedTask(
                LEASE,
                queue,
                type,
                "{}",
                2,
                now,
                1,
                3,
                true,
                Duration.ofMinutes(5),
                null,
                null,
                null,
                now,
                Duration.ZERO);
    }

    private static final Lease LEASE = lease();

    private static Lease lease() {
        return new Lease(1, 1, 0);
    }
}
