package io.konduit.queue.store;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.konduit.queue.DatabaseClock;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.SqlFile;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.insert.NewTask;
import io.konduit.queue.jdbc.QuietPool;
import io.konduit.queue.review.AdministrationRepository;
import io.konduit.queue.store.ReclaimRepository.Expired;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All lease arithmetic is the database's: whatever this JVM believes about the time changes nothing. */
@Tag("L20")
class DatabaseTimeTests {
    /** Years from this JVM's clock, in the hour that Central European Time repeats when it falls back. */
    private static final Instant REPEATED_HOUR = Instant.parse("2031-10-26T00:30:00Z");

    private static final TimeZone ZONE = TimeZone.getDefault();

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static DatabaseClock clock;

    @BeforeAll
    static void moveTheDatabase() {
        clock = DatabaseClock.install(harness.testDatabase(), REPEATED_HOUR);
        // sessions opened from now on live in that time
        HikariPoolMXBean open = ((HikariDataSource) harness.testDatabase().dataSource()).getHikariPoolMXBean();
        if (open != null) {
            open.softEvictConnections();
        }
        ((QuietPool) harness.database().control()).renew();
    }

    @AfterAll
    static void restoreTimeZone() {
        TimeZone.setDefault(ZONE);
    }

    // ---- the statements ----

    @Test
    void noStatementUsesATimeThatIsFrozenAtTheStartOfItsTransaction() {
        Pattern frozen = Pattern.compile(
                "\\b(now\\s*\\(|current_timestamp|current_time\\b|current_date|localtime|transaction_timestamp|timeofday|'now')",
                Pattern.CASE_INSENSITIVE);
        Map<String, String> offenders = new TreeMap<>();
        statements().forEach((name, sql) -> {
            Matcher matcher = frozen.matcher(sql);
            if (matcher.find()) {
                offenders.put(name, matcher.group());
            }
        });

        assertThat(statements()).hasSizeGreaterThan(30);
        assertThat(offenders).isEmpty();
    }

    /** A volatile function in what a statement writes keeps it from running on engines that hand statements on. */
    @Test
    void whatIsWrittenIsTheTimeOfTheStatement() {
        Map<String, String> reasons = Map.ofEntries(
                Map.entry("server-time", "H10: what the clock says now"),
                Map.entry("reaper-look", "H10: what the clock says now"),
                Map.entry("worker-beat", "H10: what the clock says now; it is returned, not written"),
                Map.entry("witness-look", "K1: when the locks were read, and H10: what the clock says now"),
                Map.entry("find-leader", "reads: the clock decides whether the lock is held"),
                Map.entry("last-pass", "reads an age, which must not be negative"),
                Map.entry("last-passes", "reads an age, which must not be negative"),
                Map.entry("list-workers", "reads an age, which must not be negative"),
                Map.entry("stats-recovery", "reads an age, which must not be negative"),
                Map.entry("schedule-find-due", "P2: the next times are computed from what the clock says now"),
                Map.entry("schedule-find", "reads what the clock says now"),
                Map.entry("schedule-list", "reads what the clock says now"),
                Map.entry("schedule-lock", "the next time is computed from what the clock says when the row is locked"),
                Map.entry("schedule-next", "reads how long until the next schedule is due"));
        Pattern written = Pattern.compile(
                "\\b(insert|update|delete)\\b.*\\bclock_timestamp\\(\\).*\\breturning\\b|"
                        + "\\b(insert|update|delete)\\b(?!.*\\breturning\\b).*\\bclock_timestamp\\(\\)",
                Pattern.DOTALL);
        Set<String> found = new TreeSet<>();
        statements().forEach((name, sql) -> {
            if (sql.contains("clock_timestamp")) {
                found.add(name);
            }
            assertThat(written.matcher(sql).find()).as(name).isFalse();
        });

        assertThat(found).containsExactlyInAnyOrderElementsOf(reasons.keySet());
    }

    @Test
    void leaseStatementsTakeNoTimeButThoseTheDatabaseGave() {
        Pattern parameter = Pattern.compile(":(\\w+)::timestamp\\w*(\\[])?");
        Set<String> found = new TreeSet<>();
        statements().forEach((name, sql) -> {
            Matcher matcher = parameter.matcher(sql);
            while (matcher.find() && !isPageForPeople(name)) {
                found.add(name + " " + matcher.group(1));
            }
        });

        assertThat(found)
                .containsExactlyInAnyOrder(
                        // when the application wants a task to run: no part of a lease
                        "enqueue runAt",
                        "enqueue-unique runAt",
                        "enqueue-many runAts",
                        "enqueue-many-same-shape runAt",
                        "enqueue-many-unique runAts",
                        "reschedule runAt",
                        "reschedule-audited runAt",
                        // values of the rows themselves, as a hint and as the position at which a page ended
                        "claim lowerBounds",
                        "find-expired afterTime",
                        // what the database's clock said when the pass began; it can only make a lease look longer
                        "find-expired serverTime",
                        "reclaim serverTime",
                        // the dry run shares the expression; there it is null
                        "list-orphans:expired serverTime",
                        // the nominal times of schedules, computed from what the database said
                        "schedule-fire nextAts",
                        "schedule-fire nominalAts",
                        "schedule-put nextAt",
                        "schedule-resume nextAt");
        for (String name : List.of("find-expired", "reclaim")) {
            assertThat(statements().get(name))
                    .contains("least(:serverTime::timestamptz, statement_timestamp())")
                    .containsOnlyOnce(":serverTime");
        }
    }

    @Test
    void repositoriesOfLeasesTakeNoInstant() {
        List<String> offenders = new ArrayList<>();
        for (Class<?> repository : List.of(
                LeaseRepository.class,
                ReclaimRepository.class,
                IncidentRepository.class,
                RetentionRepository.class,
                WorkerRepository.class,
                ChoreRepository.class,
                AdministrationRepository.class)) {
            for (Method method : repository.getDeclaredMethods()) {
                if (Modifier.isPublic(method.getModifiers())) {
                    for (Type type : method.getGenericParameterTypes()) {
                        if (carriesATimestamp(type, new HashSet<>())) {
                            offenders.add(repository.getSimpleName() + "." + method.getName());
                        }
                    }
                }
            }
        }

        assertThat(offenders).isEmpty();
        assertThat(carriesATimestamp(NewTask.class, new HashSet<>()))
                .as("the search sees into records")
                .isTrue();
    }

    @Test
    void timesOfTheDatabaseAreMadeOnlyWhereItsAnswersAreRead() {
        noClasses()
                .that()
                .areNotAssignableTo(ReclaimRepository.class)
                .should()
                .callConstructor(ServerTime.class, Instant.class, Instant.class)
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("io.konduit.queue"));
    }

    // ---- the behaviour ----

    static class Clerk {
        final CompletableFuture<String> done = new CompletableFuture<>();

        @JobHandler("report")
        void write(TaskContext task) {
            task.checkpoint("half");
            task.assertLease();
            done.complete("done");
        }
    }

    @Test
    void workerWhoseClockIsYearsOffRunsTasksAsUsual() {
        Clerk clerk = new Clerk();
        harness.startWorker(clerk);

        TaskId id = harness.queue(clerk).enqueue("report", null);

        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
        assertThat(clerk.done).isCompletedWithValue("done");
        assertThat(harness.jdbc()
                        .sql(
                                "select created_at = finished_at and locked_at = created_at and last_checkpoint_at = created_at"
                                        + " and created_at = test_clock.clock_timestamp() from konduit_task_history where id = :id")
                        .param("id", id.value())
                        .query(Boolean.class)
                        .single())
                .as("every time is the database's")
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTC", "Europe/Berlin", "Pacific/Kiritimati", "America/St_Johns", "Australia/Lord_Howe"})
    void timeZoneOfTheWorkerChangesNothing(String zone) {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        // the driver tells each new session the zone of this JVM
        try (HikariDataSource pool = harness.testDatabase().newPool(4)) {
            QueueFixture recovery = new QueueFixture(QueueFixture.databaseOn(pool));
            assertThat(recovery.jdbc().sql("show timezone").query(String.class).single())
                    .isEqualTo(zone);
            LeaseRepository worker = recovery.newWorker();
            ClaimedTask task = recovery.running(worker);
            // the same hour again, by the clocks on the wall
            clock.set(REPEATED_HOUR.plus(Duration.ofMinutes(5)));
            assertThat(recovery.reclaimer().reclaimOnce().total()).isZero();
            assertThat(recovery.reclaimer().untilNextExpiry(Duration.ofMinutes(1)))
                    .isEqualTo(Duration.ofMillis(50));
            clock.advance(Duration.ofMillis(1));
            assertThat(recovery.reclaimer().reclaimOnce().reclaimed()).isEqualTo(1);
            assertThat(recovery.inspection().incidentsOf(TaskId.of(task.id()), 1))
                    .singleElement()
                    .satisfies(incident -> {
                        assertThat(incident.leaseStartedAt()).isEqualTo(REPEATED_HOUR);
                        assertThat(incident.leaseEndedAt()).isEqualTo(REPEATED_HOUR.plus(Duration.ofMinutes(5)));
                        assertThat(incident.detectionDelay()).isEqualTo(Duration.ofMillis(1));
                    });
            assertThat(new ReclaimRepository(recovery.database()).serverTime().time())
                    .isEqualTo(clock.now());
        } finally {
            TimeZone.setDefault(ZONE);
            clock.set(REPEATED_HOUR);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTC", "Europe/Berlin", "America/St_Johns"})
    void pagesOfOrphansMeetAlsoInAnHourThatComesTwice(String zone) {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        try (HikariDataSource pool = harness.testDatabase().newPool(4)) {
            QueueFixture recovery = new QueueFixture(QueueFixture.databaseOn(pool));
            clock.set(REPEATED_HOUR.plus(Duration.ofHours(3)));
            // one lease ended in each of the last 40 times five minutes, across the repeated hour
            recovery.insertRunning(40, UUID.randomUUID(), 1);
            recovery.bulk(
                    "update konduit_task t set lock_timeout_at = clock_timestamp() - n.position * interval '5 minutes 1 us'"
                            + " from (select id, row_number() over (order by id) as position from konduit_task) n where n.id = t.id",
                    statement -> {});
            ReclaimRepository orphans = new ReclaimRepository(recovery.database());
            List<Long> paged = new ArrayList<>();
            Expired last = Expired.FIRST;
            List<Expired> page;
            do {
                page = orphans.findExpired(orphans.serverTime(), Duration.ZERO, last, 3);
                page.forEach(expired -> paged.add(expired.id()));
                last = page.isEmpty() ? last : page.get(page.size() - 1);
            } while (!page.isEmpty());

            assertThat(paged)
                    .hasSize(40)
                    .doesNotHaveDuplicates()
                    .isSortedAccordingTo(Comparator.<Long>naturalOrder().reversed());
        } finally {
            TimeZone.setDefault(ZONE);
            clock.set(REPEATED_HOUR);
        }
    }

    /** Lists that people page through: they only read, and no lease depends on them. */
    private static boolean isPageForPeople(String statement) {
        if (!statement.startsWith("search:") && !statement.startsWith("page-") && !statement.startsWith("bulk-")) {
            return false;
        }
        assertThat(statements().get(statement)).doesNotContainPattern("\\b(insert|(?<!for )update|delete)\\b");
        return true;
    }

    /** Every statement as it is sent, and each of its variants. */
    private static Map<String, String> statements() {
        Map<String, String> statements = new TreeMap<>();
        for (String name : SqlFile.statements()) {
            statements.put(name, harness.database().statements().get(name).replaceAll("--[^\\n]*", ""));
        }
        return statements;
    }

    /** Whether a value of this type can carry a timestamp that was read from a clock. */
    private static boolean carriesATimestamp(Type type, Set<Type> seen) {
        if (!seen.add(type) || type == ServerTime.class) {
            return false;
        }
        if (type instanceof ParameterizedType generic) {
            return carriesATimestamp(generic.getRawType(), seen)
                    || Arrays.stream(generic.getActualTypeArguments())
                            .anyMatch(argument -> carriesATimestamp(argument, seen));
        }
        if (!(type instanceof Class<?> plain)) {
            return false;
        }
        if (Temporal.class.isAssignableFrom(plain)
                || java.util.Date.class.isAssignableFrom(plain)
                || Clock.class.isAssignableFrom(plain)) {
            return true;
        }
        return plain.isRecord()
                && Arrays.stream(plain.getRecordComponents())
                        .map(RecordComponent::getGenericType)
                        .anyMatch(component -> carriesATimestamp(component, seen));
    }
}
