package io.konduit.queue.admin;

import io.konduit.queue.DurationText;
import io.konduit.queue.Incident;
import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskNotFoundException;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.recovery.ReaperChore;
import io.konduit.queue.store.AdministrationRepository;
import io.konduit.queue.store.ContentRepository;
import io.konduit.queue.store.ContentRepository.Content;
import io.konduit.queue.store.Cursor;
import io.konduit.queue.store.ErrorRepository;
import io.konduit.queue.store.InspectionRepository;
import io.konduit.queue.store.InspectionRepository.Circumstances;
import io.konduit.queue.store.InspectionRepository.IncidentCount;
import io.konduit.queue.store.InspectionRepository.Leader;
import io.konduit.queue.store.InspectionRepository.Worker;
import io.konduit.queue.store.Orphan;
import io.konduit.queue.store.PauseRepository;
import io.konduit.queue.store.PauseRepository.PausedQueue;
import io.konduit.queue.store.QueueDatabase;
import io.konduit.queue.store.SearchRepository;
import io.konduit.queue.store.SearchRepository.Criteria;
import io.konduit.queue.store.StatisticsRepository;
import io.konduit.queue.store.StatisticsRepository.Live;
import io.konduit.queue.store.StatisticsRepository.Recovery;
import io.konduit.queue.store.StatisticsRepository.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What people may see of the queue. Changes nothing. Every answer takes a fixed small number of statements whose cost
 * does not grow with backlog or history, on the application's connections: questions never delay a lease.
 */
public final class QueueInspection {
    /** Up to here incidents of a period are counted. */
    public static final int MOST_COUNTED = StatisticsRepository.CAP;

    private static final Duration LONGEST_PERIOD = Duration.ofDays(36_500);
    private static final int INCIDENTS_IN_STORY = 100;

    private final StatisticsRepository statistics;
    private final InspectionRepository inspection;
    private final AdministrationRepository administration;
    private final SearchRepository searches;
    private final PauseRepository pauses;
    private final ErrorRepository errors;
    private final ContentRepository contents;
    private final InspectionSettings settings;
    private final TaskExplanation explanation;
    private final EarlierRun earlierRun;

    public QueueInspection(QueueDatabase database, InspectionSettings settings) {
        this.statistics = StatisticsRepository.onApplicationPath(database);
        this.inspection = new InspectionRepository(database, settings.staleThreshold());
        this.administration = new AdministrationRepository(database);
        this.searches = new SearchRepository(database);
        this.pauses = new PauseRepository(database);
        this.errors = new ErrorRepository(database);
        this.contents = new ContentRepository(database);
        this.settings = settings;
        this.explanation = new TaskExplanation(settings);
        this.earlierRun = new EarlierRun(this::activeWorkers);
    }

    /** What to look at first. */
    public QueueOverview overview() {
        List<Worker> workers = workers();
        List<QueueState> queues = queues(workers);
        Recovery recovery = statistics.recovery(settings.zombieLimit(), ReaperChore.NAME);
        Leader leader = inspection.leader(LeaderOnlyScheduler.LOCK_NAME, ReaperChore.NAME);
        // an instance without slots only runs the chores
        List<Worker> working =
                workers.stream().filter(worker -> worker.concurrency() > 0).toList();
        List<Worker> active = working.stream().filter(QueueInspection::isActive).toList();
        int draining = (int) working.stream()
                .filter(worker -> worker.status().equals("DRAINING"))
                .count();
        return new QueueOverview(
                leader.moment(),
                queues,
                active.size(),
                (int) working.stream()
                        .filter(worker -> worker.status().equals("STALE"))
                        .count(),
                draining,
                active.stream().mapToInt(Worker::concurrency).sum(),
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

    /** Every queue that has tasks, is served or is paused, by name. */
    public List<QueueState> queues() {
        return queues(workers());
    }

    /** The workers, the latest heard of first, and instances that only run the chores. */
    public List<Worker> workers() {
        return inspection.workers(Pages.MOST_ROWS);
    }

    private List<Worker> activeWorkers() {
        return workers().stream().filter(QueueInspection::isActive).toList();
    }

    /** One task with its whole story. */
    public TaskStory story(TaskId id) {
        Circumstances found = inspection.circumstances(id).orElseThrow(() -> new TaskNotFoundException(id));
        List<Incident> incidents = administration.incidentsOf(id, INCIDENTS_IN_STORY);
        return new TaskStory(
                found.task(),
                explanation.of(found) + earlierRun.after(found, incidents),
                found.moment(),
                found.ownerName(),
                found.ownerHost(),
                found.ownerStatus(),
                incidents,
                errors.of(id));
    }

    /**
     * Payloads and checkpoints, for callers who may see them, without those that take more than {@code maxBytes} in the
     * database.
     */
    public Map<TaskId, Content> contents(Collection<TaskId> ids, int maxBytes) {
        return contents.read(ids, maxBytes);
    }

    /** The tasks that match, newest first; failed ones by the time they failed. */
    public SearchRepository.Page search(Criteria criteria, Cursor before, int most) {
        if (criteria.key() != null && criteria.queue() == null) {
            throw new InvalidTaskException(
                    "Expected a queue together with the unique key: a key is unique in its queue. Name the queue.");
        }
        return searches.search(criteria, before, Pages.require(most));
    }

    /** Live tasks that have lost more than so many workers, most first. */
    public List<Task> zombiesAbove(int count, int most) {
        return inspection.zombies(count, Pages.require(most));
    }

    /** How many workers a task may lose before it stands out. */
    public int zombieLimit() {
        return settings.zombieLimit();
    }

    /** What a reclaim would take back now, oldest first. */
    public List<Orphan> orphans(int most) {
        return inspection.orphans(settings.reaperGrace(), settings.quarantineAfter(), Pages.require(most));
    }

    /** What cleaning up abandoned leases would take away now; nothing when none ever counts as abandoned. */
    public AbandonedTasks abandoned(int most) {
        Duration threshold = settings.abandonedThreshold();
        if (threshold.isZero()) {
            return new AbandonedTasks(0, List.of());
        }
        return new AbandonedTasks(
                inspection.countAbandoned(threshold),
                inspection.abandoned(threshold, settings.quarantineAfter(), Pages.require(most)));
    }

    /** The evidence of the last {@code period}, newest first. */
    public List<Incident> incidents(Duration period, Cursor before, int most) {
        return inspection.incidents(requirePeriod(period), before, Pages.require(most));
    }

    /** The evidence of the last {@code period} by kind, with what became of the tasks. */
    public List<IncidentCount> countIncidents(Duration period) {
        return inspection.countIncidents(requirePeriod(period), MOST_COUNTED);
    }

    private List<QueueState> queues(List<Worker> workers) {
        Map<String, Waiting> waiting =
                statistics.waiting().stream().collect(Collectors.toMap(Waiting::queue, Function.identity()));
        List<Live> live = statistics.live();
        Map<String, PausedQueue> paused = pauses.paused(Pages.MOST_ROWS).stream()
                .collect(Collectors.toMap(PausedQueue::name, Function.identity()));
        TreeSet<String> names = new TreeSet<>(waiting.keySet());
        live.forEach(group -> names.add(group.queue()));
        names.addAll(paused.keySet());
        workers.stream().filter(QueueInspection::isActive).forEach(worker -> names.addAll(worker.queues()));
        List<QueueState> states = new ArrayList<>();
        for (String name : names) {
            Waiting due = waiting.getOrDefault(name, new Waiting(name, 0, false, null));
            List<Worker> serving = workers.stream()
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
                    serving.stream().mapToInt(Worker::concurrency).sum(),
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

    private static boolean isActive(Worker worker) {
        return worker.status().equals("ACTIVE");
    }

    private static Duration requirePeriod(Duration period) {
        if (period.compareTo(Duration.ofMillis(1)) < 0 || period.compareTo(LONGEST_PERIOD) > 0) {
            throw new InvalidTaskException("Expected the period to be between 1ms and "
                    + DurationText.of(LONGEST_PERIOD) + ", but it is " + period + ".");
        }
        return period;
    }
}
