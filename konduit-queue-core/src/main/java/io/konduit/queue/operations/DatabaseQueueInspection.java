package io.konduit.queue.operations;

import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.AbandonedTasks;
import io.konduit.queue.admin.AuditEntry;
import io.konduit.queue.admin.Cursor;
import io.konduit.queue.admin.HeldTask;
import io.konduit.queue.admin.Incident;
import io.konduit.queue.admin.IncidentCount;
import io.konduit.queue.admin.IncidentDay;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.MinutePace;
import io.konduit.queue.admin.Orphan;
import io.konduit.queue.admin.PausedQueue;
import io.konduit.queue.admin.QueueDecision;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.QueueOverview;
import io.konduit.queue.admin.QueueState;
import io.konduit.queue.admin.RegisteredWorker;
import io.konduit.queue.admin.TaskContent;
import io.konduit.queue.admin.TaskGroups;
import io.konduit.queue.admin.TaskNotFoundException;
import io.konduit.queue.admin.TaskPage;
import io.konduit.queue.admin.TaskSearch;
import io.konduit.queue.admin.TaskStory;
import io.konduit.queue.admin.WorkerState;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.recovery.ReaperChore;
import io.konduit.queue.review.InspectionRepository;
import io.konduit.queue.review.InspectionRepository.Leader;
import io.konduit.queue.review.SearchRepository;
import io.konduit.queue.review.StatisticsRepository;
import io.konduit.queue.review.StatisticsRepository.Live;
import io.konduit.queue.review.StatisticsRepository.Recovery;
import io.konduit.queue.review.StatisticsRepository.Waiting;
import io.konduit.queue.review.TaskSituation;
import io.konduit.queue.settings.DurationText;
import io.konduit.queue.settings.InspectionSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@link QueueInspection} on the application's connections. */
public final class DatabaseQueueInspection implements QueueInspection {
    private static final int MAX_COUNTED = StatisticsRepository.CAP;
    private static final Duration LONGEST_PERIOD = Duration.ofDays(36_500);
    private static final int INCIDENTS_IN_STORY = 100;
    private static final int MAX_COUNTED_IN_DAY = 2_000;
    private static final int MOST_DAYS = 92;

    /** A sample large enough for a percentile, and small enough for sixty of them. */
    private static final int MAX_COUNTED_IN_MINUTE = 250;

    private static final int MAX_PAGES_OF_SLOT = 900;

    private static final int MAX_GROUPED = 20_000;

    private final StatisticsRepository statistics;
    private final InspectionRepository inspection;
    private final SearchRepository searches;
    private final InspectionSettings settings;
    private final TaskExplanation explanation;
    private final EarlierRun earlierRun;

    public DatabaseQueueInspection(QueueDatabase database, InspectionSettings settings) {
        this.statistics = StatisticsRepository.onApplicationPath(database);
        this.inspection = new InspectionRepository(database, settings.staleThreshold());
        this.searches = new SearchRepository(database);
        this.settings = settings;
        this.explanation = new TaskExplanation(settings);
        this.earlierRun = new EarlierRun(this::activeWorkers);
    }

    @Override
    public QueueOverview overview() {
        List<RegisteredWorker> workers = workers();
        List<QueueState> queues = queues(workers);
        Recovery recovery = statistics.recovery(settings.zombieLimit(), ReaperChore.NAME);
        Leader leader = inspection.leader(LeaderOnlyScheduler.LOCK_NAME, ReaperChore.NAME);
        // an instance without slots only runs the chores
        List<RegisteredWorker> working =
                workers.stream().filter(worker -> worker.concurrency() > 0).toList();
        List<RegisteredWorker> active =
                working.stream().filter(DatabaseQueueInspection::isActive).toList();
        int draining = (int) working.stream()
                .filter(worker -> worker.status() == WorkerState.DRAINING)
                .count();
        return new QueueOverview(
                leader.serverTime(),
                queues,
                active.size(),
                (int) working.stream()
                        .filter(worker -> worker.status() == WorkerState.STALE)
                        .count(),
                draining,
                active.stream().mapToInt(RegisteredWorker::concurrency).sum(),
                leader.leader(),
                leader.lastReaper(),
                recovery.zombiesAbove(),
                settings.zombieLimit(),
                queues.stream()
                        .map(QueueState::oldestDueSeconds)
                        .filter(Objects::nonNull)
                        .max(Double::compare)
                        .orElse(null),
                recovery.oldestExpiredSeconds(),
                recovery.sinceReaperSeconds());
    }

    @Override
    public List<QueueState> queues() {
        return queues(workers());
    }

    @Override
    public List<RegisteredWorker> workers() {
        return inspection.workers(PageLimit.MAX_ROWS);
    }

    private List<RegisteredWorker> activeWorkers() {
        return workers().stream().filter(DatabaseQueueInspection::isActive).toList();
    }

    @Override
    public TaskStory story(TaskId id) {
        TaskSituation found = inspection.situation(id).orElseThrow(() -> new TaskNotFoundException(id));
        List<Incident> incidents = inspection.incidentsOf(id, INCIDENTS_IN_STORY);
        return new TaskStory(
                found.task(),
                found.snoozes(),
                found.schedule(),
                found.scheduledFor(),
                explanation.of(found) + earlierRun.after(found, incidents) + TaskExplanation.origin(found),
                found.now(),
                found.ownerName(),
                found.ownerHost(),
                found.ownerStatus(),
                incidents,
                inspection.errorsOf(id));
    }

    @Override
    public Map<TaskId, TaskContent> contents(Collection<TaskId> ids, int maxBytes) {
        return inspection.contents(ids, maxBytes);
    }

    @Override
    public TaskPage search(TaskSearch search, Cursor before, int limit) {
        if (search.key() != null && search.queue() == null) {
            throw new InvalidRequestException(
                    "Expected a queue together with the unique key: a key is unique in its queue. Name the queue.");
        }
        return searches.search(search, before, PageLimit.require(limit));
    }

    @Override
    public List<Task> zombiesAbove(int count, int limit) {
        return inspection.zombies(count, PageLimit.require(limit));
    }

    @Override
    public int zombieLimit() {
        return settings.zombieLimit();
    }

    @Override
    public List<Orphan> orphans(int limit) {
        return inspection.orphans(settings.reaperGrace(), settings.quarantineAfter(), PageLimit.require(limit));
    }

    @Override
    public AbandonedTasks abandoned(int limit) {
        Duration threshold = settings.abandonedThreshold();
        if (threshold.isZero()) {
            return new AbandonedTasks(0, List.of());
        }
        return new AbandonedTasks(
                inspection.countAbandoned(threshold),
                inspection.abandoned(threshold, settings.quarantineAfter(), PageLimit.require(limit)));
    }

    @Override
    public List<PausedQueue> paused() {
        return inspection.paused(PageLimit.MAX_ROWS);
    }

    @Override
    public List<QueueDecision> decisions(int limit) {
        return inspection.decisions(Long.MAX_VALUE, PageLimit.require(limit));
    }

    @Override
    public List<HeldTask> held(@Nullable TaskId after, int limit) {
        return inspection.held(after == null ? Long.MIN_VALUE : after.value(), PageLimit.require(limit));
    }

    @Override
    public List<Incident> incidentsOf(TaskId id, int limit) {
        return inspection.incidentsOf(id, PageLimit.require(limit));
    }

    @Override
    public List<AuditEntry> audit(long beforeId, int limit) {
        return inspection.audit(beforeId, PageLimit.require(limit));
    }

    @Override
    public List<Incident> incidents(Duration period, Cursor before, int limit) {
        return inspection.incidents(requirePeriod(period), before, PageLimit.require(limit));
    }

    @Override
    public List<IncidentCount> countIncidents(Duration period) {
        return inspection.countIncidents(requirePeriod(period), MAX_COUNTED);
    }

    @Override
    public List<IncidentDay> incidentsPerDay(int days) {
        if (days < 1 || days > MOST_DAYS) {
            throw new InvalidRequestException("Expected 1 to " + MOST_DAYS + " days, but found " + days + ".");
        }
        return inspection.incidentsPerDay(days, MAX_COUNTED_IN_DAY);
    }

    @Override
    public List<MinutePace> lastHour() {
        return inspection.lastHour(MAX_COUNTED_IN_MINUTE, MAX_PAGES_OF_SLOT);
    }

    @Override
    public TaskGroups groups() {
        return inspection.groups(MAX_GROUPED);
    }

    private List<QueueState> queues(List<RegisteredWorker> workers) {
        Map<String, Waiting> waiting =
                statistics.waiting().stream().collect(Collectors.toMap(Waiting::queue, Function.identity()));
        List<Live> live = statistics.live();
        Map<String, PausedQueue> paused = inspection.paused(PageLimit.MAX_ROWS).stream()
                .collect(Collectors.toMap(PausedQueue::name, Function.identity()));
        TreeSet<String> names = new TreeSet<>(waiting.keySet());
        live.forEach(group -> names.add(group.queue()));
        names.addAll(paused.keySet());
        workers.stream().filter(DatabaseQueueInspection::isActive).forEach(worker -> names.addAll(worker.queues()));
        List<QueueState> states = new ArrayList<>();
        for (String name : names) {
            Waiting due = waiting.getOrDefault(name, new Waiting(name, 0, false, null));
            List<RegisteredWorker> serving = workers.stream()
                    .filter(worker -> isActive(worker) && worker.queues().contains(name))
                    .toList();
            states.add(new QueueState(
                    name,
                    due.tasks(),
                    due.estimated(),
                    count(live, name, TaskStatus.RUNNING),
                    count(live, name, TaskStatus.HELD),
                    count(live, name, TaskStatus.FAILED),
                    due.oldestSeconds(),
                    serving.size(),
                    serving.stream().mapToInt(RegisteredWorker::concurrency).sum(),
                    paused.get(name)));
        }
        return states;
    }

    private static long count(List<Live> live, String queue, TaskStatus status) {
        return live.stream()
                .filter(group -> group.queue().equals(queue) && group.status() == status)
                .mapToLong(Live::tasks)
                .sum();
    }

    private static boolean isActive(RegisteredWorker worker) {
        return worker.status() == WorkerState.ACTIVE;
    }

    private static Duration requirePeriod(Duration period) {
        if (period.compareTo(Duration.ofMillis(1)) < 0 || period.compareTo(LONGEST_PERIOD) > 0) {
            throw new InvalidRequestException("Expected the period to be between 1ms and "
                    + DurationText.of(LONGEST_PERIOD) + ", but it is " + period + ".");
        }
        return period;
    }
}
