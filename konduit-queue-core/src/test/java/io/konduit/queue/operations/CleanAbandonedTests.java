package io.konduit.queue.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.admin.AbandonedTasks;
import io.konduit.queue.admin.Cursor;
import io.konduit.queue.admin.IncidentClassification;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.review.AdministrationRepository;
import io.konduit.queue.settings.ChoreSettings;
import io.konduit.queue.settings.InspectionSettings;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.LeaseRepository;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** S13: a person cleans up abandoned leases without waiting for the chore. */
@Tag("S13")
@Tag("C3")
class CleanAbandonedTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private QueueFixture recovery;
    private List<Long> abandoned;

    @BeforeEach
    void abandonFive() {
        recovery = new QueueFixture(harness.database());
        IntStream.range(0, 5).forEach(i -> harness.queue().enqueue("import", i));
        LeaseRepository worker = harness.newWorker();
        abandoned = harness.claim(worker, 5).stream().map(ClaimedTask::id).toList();
        harness.testDatabase().execute("update konduit_task set locked_at = clock_timestamp() - interval '8 days'");
    }

    @Test
    void takesAllOfThemInBatchesInTheActorsName() {
        TaskAdministration administration = recovery.administration(QueueFixture.policy(Duration.ZERO, 2));

        assertThat(administration.cleanAbandonedNow("ada").reclaimed()).isEqualTo(5);

        assertThat(abandoned).allSatisfy(id -> assertThat(recovery.status(id)).isEqualTo("PENDING"));
        assertThat(recovery.inspection().incidents(Duration.ofHours(1), Cursor.START, 10))
                .hasSize(5)
                .allSatisfy(incident -> {
                    assertThat(incident.actor()).isEqualTo("ada");
                    assertThat(incident.classification()).isEqualTo(IncidentClassification.ABANDONED);
                });
        assertThat(administration.cleanAbandonedNow("ada").total()).as("again").isZero();
    }

    @Test
    void dryRunCountsAllAndListsTheFirst() {
        QueueInspection inspection = new DatabaseQueueInspection(harness.database(), settings(Duration.ofDays(7)));

        AbandonedTasks found = inspection.abandoned(2);

        assertThat(found.count()).isEqualTo(5);
        assertThat(found.first()).extracting(task -> task.id().value()).isEqualTo(abandoned.subList(0, 2));
        assertThat(abandoned).allSatisfy(id -> assertThat(recovery.status(id)).isEqualTo("RUNNING"));
    }

    @Test
    void nothingIsAbandonedWhenTheThresholdIsZero() {
        TaskAdministration administration = new DatabaseTaskAdministration(
                new AdministrationRepository(harness.database()),
                harness.tasks(),
                recovery.reclaimer(),
                recovery.cleaner(ReclaimPolicy.defaults(), Duration.ZERO),
                queues -> {});

        assertThatThrownBy(() -> administration.cleanAbandonedNow("ada"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("'konduit.queue.abandoned.threshold' is 0");
        assertThat(new DatabaseQueueInspection(harness.database(), settings(Duration.ZERO)).abandoned(10))
                .isEqualTo(new AbandonedTasks(0, List.of()));
        assertThat(abandoned).allSatisfy(id -> assertThat(recovery.status(id)).isEqualTo("RUNNING"));
    }

    private static InspectionSettings settings(Duration abandonedThreshold) {
        return InspectionSettings.of(
                ReclaimPolicy.defaults(),
                new ChoreSettings(
                        Duration.ofSeconds(30), abandonedThreshold, Duration.ofHours(6), Duration.ofMinutes(1)));
    }
}
