package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.BulkAction.Kind;
import io.konduit.queue.review.AdministrationRepository;
import io.konduit.queue.review.BulkRepository;
import io.konduit.queue.review.BulkRepository.Criteria;
import io.konduit.queue.review.BulkRepository.Found;
import io.konduit.queue.review.BulkRepository.Page;
import io.konduit.queue.review.BulkRepository.Position;
import io.konduit.queue.review.BulkRepository.Terms;
import io.konduit.queue.store.AuditRepository.Author;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** S13, R2: each statement of a bulk action is bounded, however many tasks there are. */
@Tag("S13")
@Tag("R2")
class BulkPlanTests {
    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");
    private static final int WAITING = 100_000;

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    @Test
    void aPageAndABatchReadAsMuchAsTheyReturn() {
        fill();
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            BulkRepository bulk = new AdministrationRepository(counted.database()).bulk();
            counted.journal().explain(true);
            String until = bulk.begin();
            for (Kind kind : List.of(Kind.RELEASE, Kind.RETRY)) {
                Criteria criteria = criteria(kind.from());
                Page page = bulk.find(criteria, until, Position.FIRST, 20_000, 500);
                assertThat(page.found()).hasSize(500);
                assertThat(apply(bulk, kind, criteria, until, page)).isEqualTo(500);
            }
            Criteria live = criteria(EnumSet.of(TaskStatus.PENDING));
            Page middle = bulk.find(live, until, new Position("-infinity", WAITING / 2), 20_000, 500);
            assertThat(apply(bulk, Kind.CANCEL, live, until, middle)).isEqualTo(500);
            Map<String, String> plans = counted.journal().plans();
            assertThat(plans).hasSizeGreaterThan(8);
            plans.forEach((sql, plan) -> {
                assertThat(plan).as(sql).doesNotContainPattern("Seq Scan on konduit_task\\b");
                assertThat(pages(plan)).as(plan).isLessThan(30_000);
            });
        }
    }

    private static int apply(BulkRepository bulk, Kind kind, Criteria criteria, String until, Page page) {
        return bulk.apply(
                        new Terms(kind, 1, null, "{}", new Author("ada", null)),
                        criteria,
                        until,
                        page.found().stream().map(Found::id).toList())
                .tasks();
    }

    private static Criteria criteria(Set<TaskStatus> statuses) {
        return new Criteria(statuses, null, "report", null, null, null, null, null, null);
    }

    private static void fill() {
        String columns =
                "(queue, type, payload, priority, status, run_at, created_at, attempts, max_attempts, reapable, zombie_count, lease_epoch,"
                        + " hold_reason, finished_at)";
        String values =
                " select 'default', 'report', '{\"n\": 1}', 2, '%s', clock_timestamp(), clock_timestamp() - interval '1 h',"
                        + " 1, 1, false, 1, 1, %s, %s from generate_series(1, %d) n";
        harness.testDatabase()
                .execute(
                        "set session_replication_role = replica;" + "insert into konduit_task " + columns
                                + values.formatted("PENDING", "null", "null", WAITING),
                        "insert into konduit_task " + columns
                                + values.formatted("HELD", "'NOT_REAPABLE'", "null", WAITING / 20),
                        "insert into konduit_task " + columns
                                + values.formatted(
                                        "FAILED", "null", "clock_timestamp() - interval '1 min'", WAITING / 20),
                        "set session_replication_role = default",
                        "analyze konduit_task",
                        "analyze konduit_task_incident");
    }

    private static long pages(String plan) {
        Matcher matcher = BUFFERS.matcher(plan);
        long pages = 0;
        if (matcher.find()) {
            pages += matcher.group(1) == null ? 0 : Long.parseLong(matcher.group(1));
            pages += matcher.group(2) == null ? 0 : Long.parseLong(matcher.group(2));
        }
        return pages;
    }
}
