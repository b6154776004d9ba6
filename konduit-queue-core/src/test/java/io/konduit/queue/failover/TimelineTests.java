package io.konduit.queue.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.test.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Ids and fencing tokens carry the server's timeline, so that a promotion repeats neither. */
@Tag("S16")
class TimelineTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final long FIRST_ID_OF_TIMELINE_3 = 2L << 40;
    private static final long FIRST_TOKEN_OF_TIMELINE_3 = (2L << 32) + 1;

    @AfterEach
    void backToTheFirst() {
        timeline("1");
    }

    @Test
    void aServerThatWasNeverPromotedCountsFromOne() {
        TaskId id = harness.queue().enqueue("mail", null);
        assertThat(id.value()).isLessThan(1L << 40);
        LeaseRepository worker = harness.newWorker();
        assertThat(claimAgain(worker, id)).isEqualTo(1);
        assertThat(claimAgain(worker, id)).isEqualTo(2);
    }

    @Test
    void aPromotionBeginsGreaterTokensThatThenGoUpByOne() {
        TaskId id = harness.queue().enqueue("mail", null);
        LeaseRepository worker = harness.newWorker();
        claimAgain(worker, id);
        timeline("3");
        assertThat(claimAgain(worker, id)).isEqualTo(FIRST_TOKEN_OF_TIMELINE_3);
        assertThat(claimAgain(worker, id)).isEqualTo(FIRST_TOKEN_OF_TIMELINE_3 + 1);
        // restored or upgraded, a server begins with timeline 1 again: what the rows have is kept
        timeline("1");
        assertThat(claimAgain(worker, id)).isEqualTo(FIRST_TOKEN_OF_TIMELINE_3 + 2);
    }

    @Test
    void everyWayToEnqueueDrawsIdsOfTheTimelineInTheOrderOfTheRequests() {
        TaskQueue queue = harness.queue();
        timeline("3");
        List<List<TaskId>> bulks = List.of(
                List.of(queue.enqueue("mail", null)),
                List.of(queue.enqueue(TaskRequest.of("mail", null).uniqueKey("a"))),
                queue.enqueueAll(requests(50, "mail")),
                queue.enqueueAll(requests(50, "parcel")),
                queue.enqueueAll(withKey(requests(50, "parcel"))),
                queue.enqueueAll(requests(2_000, "parcel")));
        assertThat(bulks).allSatisfy(ids -> assertThat(ids)
                .isSortedAccordingTo((a, b) -> Long.compare(a.value(), b.value()))
                .allMatch(id -> id.value() > FIRST_ID_OF_TIMELINE_3));
    }

    @Test
    void aServerThatDoesNotTellItsTimelineCountsAsNeverPromoted() {
        try (TestDatabase guarded = TestDatabase.create()) {
            String role = guarded.name() + "_owner";
            guarded.execute(
                    "create role " + role,
                    "grant create on schema public to " + role,
                    "grant create on database " + guarded.name() + " to " + role,
                    "revoke execute on function pg_current_wal_lsn() from public",
                    "alter database " + guarded.name() + " set role " + role);
            try {
                new QueueSchemaMigrator(guarded.dataSource(), "guarded").migrate();
                new QueueSchemaMigrator(guarded.dataSource(), "guarded").verify();
                assertThat(JdbcClient.create(guarded.dataSource())
                                .sql("select guarded.konduit_timeline()")
                                .query(Long.class)
                                .single())
                        .isEqualTo(1);
            } finally {
                guarded.execute(
                        "set role none",
                        "alter database " + guarded.name() + " reset role",
                        "drop owned by " + role + " cascade",
                        "drop role " + role);
            }
        }
    }

    private static void timeline(String number) {
        harness.testDatabase()
                .execute("create or replace function konduit_timeline() returns bigint language plpgsql stable as"
                        + " $$ begin return " + number + "; end $$");
    }

    /** Claims the task, gives it back, and returns the token. */
    private static long claimAgain(LeaseRepository worker, TaskId id) {
        ClaimedTask claimed = harness.claimOne(worker);
        assertThat(claimed.id()).isEqualTo(id.value());
        worker.giveBack(List.of(claimed.lease()), java.time.Duration.ZERO);
        return claimed.lease().epoch();
    }

    private static List<TaskRequest> requests(int number, String everySecond) {
        return IntStream.range(0, number)
                .mapToObj(i -> TaskRequest.of(i % 2 == 0 ? "mail" : everySecond, i))
                .toList();
    }

    private static List<TaskRequest> withKey(List<TaskRequest> requests) {
        List<TaskRequest> all = new ArrayList<>(requests);
        all.set(7, all.get(7).uniqueKey("b"));
        return all;
    }
}
