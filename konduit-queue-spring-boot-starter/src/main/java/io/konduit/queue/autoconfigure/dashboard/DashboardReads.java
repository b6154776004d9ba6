package io.konduit.queue.autoconfigure.dashboard;

import io.konduit.queue.Task;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.Cursor;
import io.konduit.queue.admin.IncidentDay;
import io.konduit.queue.admin.MinutePace;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.QueueOverview;
import io.konduit.queue.admin.QueueState;
import io.konduit.queue.admin.TaskGroup;
import io.konduit.queue.admin.TaskGroups;
import io.konduit.queue.admin.TaskSearch;
import io.konduit.queue.autoconfigure.endpoint.OperatorApi;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** B3: what the pages show beside the lists of the endpoint. Each is a fixed number of bounded statements. */
final class DashboardReads {
    private static final int MOST_RUNNING = 500;
    private static final int DAYS = 14;
    private static final int MOST_IN_BADGE = 100;

    /** However many browsers look, the last hour is read this often. */
    private static final Duration HOUR_LIFE = Duration.ofSeconds(10);

    private final QueueInspection inspection;
    private final OperatorApi operations;
    private final Findings findings;
    private final BacklogSamples samples = new BacklogSamples();
    private final LongSupplier nanoTime;
    private volatile @Nullable KeptHour hour;

    DashboardReads(QueueInspection inspection, OperatorApi operations, Duration reaperInterval, LongSupplier nanoTime) {
        this.inspection = inspection;
        this.operations = operations;
        this.findings = new Findings(reaperInterval);
        this.nanoTime = nanoTime;
    }

    /** @param backlog waiting tasks at the times when somebody looked at this instance */
    record Overview(
            Instant readAt,
            List<Finding> findings,
            List<QueueState> queues,
            int activeWorkers,
            int staleWorkers,
            int drainingWorkers,
            int slots,
            @Nullable String leader,
            long held,
            @Nullable Double oldestDueSeconds,
            @Nullable Double secondsSinceReaper,
            List<BacklogSamples.Sample> backlog) {}

    record Hour(List<MinutePace> minutes) {}

    private record KeptHour(Hour hour, long readNanos) {}

    /** @param more whether there are more than these */
    record Inbox(int held, boolean more) {}

    /** A task that a worker runs. */
    record Run(
            long id,
            String queue,
            String type,
            String worker,
            @Nullable Instant startedAt,
            @Nullable Instant leaseEndsAt,
            @Nullable Instant lastCheckpointAt) {}

    /** Workers as the endpoint lists them, and what they run. */
    record Workers(Object workers, List<Run> running) {}

    record Day(Instant day, String kind, long incidents, boolean cut) {}

    record Days(List<Day> days, int of) {}

    record Group(String status, String queue, String type, long tasks) {}

    /** @param examined how many tasks of each state are counted at most */
    record Groups(List<Group> groups, int examined) {}

    Overview overview() {
        QueueOverview found = inspection.overview();
        long pending = found.queues().stream().mapToLong(QueueState::pending).sum();
        samples.add(found.readAt(), pending);
        return new Overview(
                found.readAt(),
                findings.of(found),
                found.queues(),
                found.activeWorkers(),
                found.staleWorkers(),
                found.drainingWorkers(),
                found.slots(),
                found.leader(),
                found.held(),
                found.oldestDueSeconds(),
                found.secondsSinceReaper(),
                samples.lastHour(found.readAt()));
    }

    Hour hour() {
        KeptHour kept = hour;
        long now = nanoTime.getAsLong();
        if (kept == null || now - kept.readNanos() >= HOUR_LIFE.toNanos()) {
            kept = new KeptHour(new Hour(inspection.lastHour()), now);
            hour = kept;
        }
        return kept.hour();
    }

    /** For the number beside the link to the review inbox. */
    Inbox inbox() {
        int held = inspection.held(null, MOST_IN_BADGE).size();
        return new Inbox(held, held == MOST_IN_BADGE);
    }

    Workers workers() {
        List<Run> running = inspection
                .search(new TaskSearch(TaskStatus.RUNNING, null, null, null), Cursor.START, MOST_RUNNING)
                .tasks()
                .stream()
                .map(DashboardReads::run)
                .toList();
        return new Workers(operations.list("workers", Map.of(), false), running);
    }

    private static Run run(Task task) {
        return new Run(
                task.id().value(),
                task.queue(),
                task.type(),
                Objects.toString(task.lockedBy(), ""),
                task.lockedAt(),
                task.lockTimeoutAt(),
                task.lastCheckpointAt());
    }

    Days days() {
        return new Days(
                inspection.incidentsPerDay(DAYS).stream()
                        .map(DashboardReads::day)
                        .toList(),
                DAYS);
    }

    private static Day day(IncidentDay found) {
        return new Day(found.day(), found.classification().name(), found.incidents(), found.cut());
    }

    Groups groups() {
        TaskGroups found = inspection.groups();
        return new Groups(found.groups().stream().map(DashboardReads::group).toList(), found.examined());
    }

    private static Group group(TaskGroup found) {
        return new Group(found.status().name(), found.queue(), found.type(), found.tasks());
    }
}
