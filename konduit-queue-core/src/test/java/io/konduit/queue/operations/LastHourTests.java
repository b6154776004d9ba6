package io.konduit.queue.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.IncidentClassification;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.MinutePace;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.TaskGroup;
import io.konduit.queue.settings.InspectionSettings;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the pages of the dashboard read beside the endpoint: the last hour, the newest tasks and the incidents per day. */
@Tag("B1")
class LastHourTests {
    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    @Test
    void countsWhatEndedInEachMinuteAndHowLongItTook() {
        done("mail", "COMPLETED", 3, "5 min");
        done("mail", "CANCELLED", 2, "5 min");
        failed("mail", 1, "5 min");
        done("mail", "COMPLETED", 1, "61 min");
        List<MinutePace> hour = inspection().lastHour();
        assertThat(hour).hasSize(60).isSortedAccordingTo((a, b) -> a.minute().compareTo(b.minute()));
        List<MinutePace> busy =
                hour.stream().filter(minute -> minute.completed() > 0).toList();
        assertThat(busy).singleElement().satisfies(minute -> {
            assertThat(minute.completed()).isEqualTo(3);
            assertThat(minute.failed()).isEqualTo(1);
            assertThat(minute.estimated()).isFalse();
            assertThat(minute.waitedMedian()).isEqualTo(2);
            assertThat(minute.waitedMost()).isEqualTo(2);
            assertThat(minute.ranMedian()).isEqualTo(1);
            assertThat(minute.ranMost()).isEqualTo(1);
        });
        assertThat(hour.get(0).waitedMedian()).isNull();
    }

    /** A burst of twelve seconds, beside silence: of more pages than are read. */
    @Test
    void estimatesAMinuteWithTooManyToCount() {
        sql(
                "insert into konduit_task_history (id, queue, type, payload, priority, status, run_at, attempts, zombie_count, lease_epoch,"
                        + " locked_at, created_at, finished_at) select i, 'mail', 't', '{}', 2, 'COMPLETED', f.at, 1, 0, 1, f.at, f.at, f.at"
                        + " from generate_series(1, 120000) as i cross join lateral (select date_trunc('minute', statement_timestamp())"
                        + " - interval '3 min' + i * interval '0.1 ms' as at) f");
        assertThat(inspection().lastHour())
                .filteredOn(MinutePace::estimated)
                .singleElement()
                .satisfies(minute -> assertThat(minute.completed()).isBetween(114_000d, 126_000d));
    }

    @Test
    void countsEachTaskOfAMinuteThatFitsIntoTheSample() {
        done("mail", "COMPLETED", 400, "5 min");
        assertThat(inspection().lastHour())
                .filteredOn(minute -> minute.completed() > 0)
                .singleElement()
                .satisfies(minute -> {
                    assertThat(minute.completed()).isEqualTo(400);
                    assertThat(minute.estimated()).isFalse();
                });
    }

    /** The hour is at the end of a slot that has been open for longer. */
    @Test
    void readsOnlyTheHourOfASlot() {
        for (int i = 300; i > 0; i -= 10) {
            ended(1_000, i + " min");
        }
        assertThat(inspection().lastHour())
                .filteredOn(minute -> minute.completed() > 0)
                .hasSize(5)
                .allSatisfy(minute -> {
                    assertThat(minute.completed()).isEqualTo(1_000);
                    assertThat(minute.estimated()).isFalse();
                });
    }

    /** Completed tasks in the open slot. */
    private static void ended(int tasks, String ago) {
        sql(
                "insert into konduit_task_history (id, queue, type, payload, priority, status, run_at, attempts, zombie_count, lease_epoch,"
                        + " locked_at, created_at, finished_at, slot) select nextval(pg_get_serial_sequence('konduit_task', 'id')), 'mail',"
                        + " 't', '{}', 2, 'COMPLETED', f.at, 1, 0, 1, f.at, f.at, f.at, 0 from generate_series(1, "
                        + tasks
                        + ") cross join (select statement_timestamp() - interval '" + ago + "' as at) f");
    }

    @Test
    void groupsTheNewestTasksByStateQueueAndType() {
        sql(
                "insert into konduit_task (queue, type, payload, priority, status, run_at, created_at) select 'mail', 'welcome', '{}', 2,"
                        + " 'PENDING', clock_timestamp(), clock_timestamp() from generate_series(1, 4)");
        failed("mail", 2, "1 min");
        done("import", "COMPLETED", 1, "1 min");
        assertThat(inspection().groups().groups())
                .containsExactlyInAnyOrder(
                        new TaskGroup(TaskStatus.PENDING, "mail", "welcome", 4),
                        new TaskGroup(TaskStatus.FAILED, "mail", "t", 2),
                        new TaskGroup(TaskStatus.COMPLETED, "import", "t", 1));
    }

    @Test
    void countsIncidentsPerDay() {
        incidents(3, "0 s");
        incidents(2, "2 days");
        incidents(1, "20 days");
        assertThat(inspection().incidentsPerDay(14))
                .extracting("classification", "incidents", "cut")
                .containsExactly(
                        Tuple.tuple(IncidentClassification.ZOMBIE, 2L, false),
                        Tuple.tuple(IncidentClassification.ZOMBIE, 3L, false));
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> inspection().incidentsPerDay(93))
                .withMessage("Expected 1 to 92 days, but found 93.");
    }

    /** Fifty thousand rows of one minute, of which each statement reads its share, and no more of four times as many. */
    @Test
    @Tag("B3")
    @Tag("R2")
    void readsABoundedNumberOfPagesHoweverMuchThereIs() {
        fill(25_000);
        Map<String, Integer> few = pages();
        fill(150_000);
        Map<String, Integer> many = pages();
        assertThat(many.keySet()).hasSize(5).isEqualTo(few.keySet());
        many.forEach((sql, pages) -> assertThat(pages).as(sql).isLessThan(few.get(sql) * 3 / 2 + 100));
    }

    /** What the pages of the dashboard ask, with nothing there and with something of everything. */
    @Test
    @Tag("B3")
    void aPageIsAFixedNumberOfStatements() {
        Map<String, Integer> ofNothing = statements();
        assertThat(ofNothing)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "overview",
                        6,
                        "lastHour",
                        11,
                        "groups",
                        1,
                        "incidentsPerDay",
                        1,
                        "held",
                        1,
                        "queues",
                        4,
                        "workers",
                        1));
        fill(300);
        assertThat(statements()).isEqualTo(ofNothing);
    }

    private static Map<String, Integer> statements() {
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            QueueInspection inspection = new DatabaseQueueInspection(counted.database(), InspectionSettings.defaults());
            Map<String, Runnable> reads = Map.of(
                    "overview", inspection::overview,
                    "lastHour", inspection::lastHour,
                    "groups", inspection::groups,
                    "incidentsPerDay", () -> inspection.incidentsPerDay(14),
                    "held", () -> inspection.held(null, 50),
                    "queues", inspection::queues,
                    "workers", inspection::workers);
            return reads.entrySet().stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, read -> counted.statementsOf(read.getValue())
                            .size()));
        }
    }

    private Map<String, Integer> pages() {
        harness.testDatabase().execute("vacuum analyze konduit_task, konduit_task_history, konduit_task_incident");
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            QueueInspection inspection = new DatabaseQueueInspection(counted.database(), InspectionSettings.defaults());
            counted.journal().explain(true);
            inspection.lastHour();
            inspection.groups();
            inspection.incidentsPerDay(14);
            Map<String, String> plans = counted.journal().plans();
            plans.values().forEach(plan -> assertThat(plan)
                    .doesNotContainPattern("Seq Scan on konduit_task(_history|_incident)?\\b")
                    .doesNotContainPattern("Sort Method: external"));
            return plans.entrySet().stream()
                    .collect(Collectors.toMap(
                            entry -> entry.getKey()
                                    .lines()
                                    .filter(line -> !line.startsWith("--"))
                                    .findFirst()
                                    .orElseThrow(),
                            entry -> buffers(entry.getValue()),
                            Integer::sum));
        }
    }

    private static int buffers(String plan) {
        Matcher buffers = BUFFERS.matcher(plan);
        assertThat(buffers.find()).isTrue();
        return number(buffers.group(1)) + number(buffers.group(2));
    }

    private static int number(String text) {
        return text == null ? 0 : Integer.parseInt(text);
    }

    /** Pending, failed and finished tasks, and incidents. */
    private void fill(int rows) {
        sql(
                "insert into konduit_task (queue, type, payload, priority, status, run_at, created_at) select 'mail', 't' || i % 40, '{}', 2,"
                        + " 'PENDING', clock_timestamp(), clock_timestamp() from generate_series(1, " + rows + ") i");
        failed("mail", rows, "5 min");
        done("mail", "COMPLETED", rows, "5 min");
        done("mail", "COMPLETED", rows, "70 min");
        incidents(rows, "0 s");
    }

    private void done(String queue, String status, int tasks, String ago) {
        sql(
                "set session_replication_role = replica; insert into konduit_task_history (id, queue, type, payload, priority, status, run_at, attempts, zombie_count, lease_epoch,"
                        + " locked_at, created_at, finished_at) select nextval(pg_get_serial_sequence('konduit_task', 'id')), '"
                        + queue
                        + "', 't', '{}', 2, '" + status
                        + "', f.at - interval '3 s', 1, 0, 1, f.at - interval '1 s', f.at, f.at"
                        + " from generate_series(1, " + tasks
                        + ") cross join (select statement_timestamp() - interval '" + ago
                        + "' as at) f");
    }

    private void failed(String queue, int tasks, String ago) {
        sql(
                "set session_replication_role = replica; insert into konduit_task (queue, type, payload, priority, status, run_at, attempts, max_attempts, created_at, finished_at)"
                        + " select '" + queue
                        + "', 't', '{}', 2, 'FAILED', f.at, 1, 1, f.at, f.at from generate_series(1, " + tasks
                        + ") cross join (select statement_timestamp() - interval '" + ago + "' as at) f");
    }

    private void incidents(int count, String ago) {
        sql(
                "insert into konduit_task_incident (task_id, queue, type, classification, action, actor, lease_epoch, detected_at, attempts,"
                        + " zombie_count) select i, 'mail', 't', 'ZOMBIE', 'RECLAIMED', 'reaper', 1, statement_timestamp() - interval '"
                        + ago + "', 1, 1 from generate_series(1, " + count + ") i");
    }

    private static void sql(String statement) {
        harness.testDatabase().execute(statement);
    }

    private static QueueInspection inspection() {
        return new DatabaseQueueInspection(harness.database(), InspectionSettings.defaults());
    }
}
