package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.TaskId;
import io.konduit.queue.admin.Cursor;
import io.konduit.queue.admin.HeldTask;
import io.konduit.queue.admin.Incident;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.TaskContent;
import io.konduit.queue.admin.TaskPage;
import io.konduit.queue.admin.TaskStory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The endpoint's read operations. */
final class QueueReads {
    private static final String TASKS = "tasks";
    private static final String SCHEDULES = "schedules";
    private static final int MAX_BYTES_IN_LIST = 16 * 1024;
    private static final List<String> LISTS = List.of(
            "queues", "workers", "held", "zombies", "incidents", TASKS, "orphans", "decisions", "audit", SCHEDULES);

    private final QueueInspection inspection;
    private final Disclosure disclosure;
    private final ScheduleOperations schedules;

    QueueReads(QueueInspection inspection, Disclosure disclosure, ScheduleOperations schedules) {
        this.schedules = schedules;
        this.inspection = inspection;
        this.disclosure = disclosure;
    }

    Disclosure disclosure() {
        return disclosure;
    }

    OperationResponseBody overview() {
        return QueueViews.Overview.of(inspection.overview());
    }

    OperationResponseBody list(String list, ListQuery query, boolean disclose) {
        int size = query.pageSize();
        return switch (list) {
            case "queues" -> new QueueViews.Queues(inspection.queues());
            case "workers" ->
                new WorkerViews.Workers(inspection.workers().stream()
                        .map(WorkerViews.Worker::of)
                        .toList());
            case "held" -> held(query, size, disclose);
            case "zombies" -> {
                int above = query.limit(inspection.zombieLimit());
                yield new TaskViews.Zombies(
                        above,
                        inspection.zombiesAbove(above, size).stream()
                                .map(TaskViews.TaskView::of)
                                .toList());
            }
            case "incidents" -> incidents(query, size);
            case TASKS -> search(query, size);
            case "orphans" ->
                new ReclaimViews.Orphans(inspection.orphans(size).stream()
                        .map(ReclaimViews.OrphanView::of)
                        .toList());
            case "audit" -> AuditView.of(inspection.audit(query.cursor().id(), size), size);
            case SCHEDULES -> schedules.list(query.after(), size);
            case "decisions" -> new QueueViews.Decisions(inspection.decisions(size));
            default -> throw new UnknownPathException(LISTS, list);
        };
    }

    OperationResponseBody show(String list, String id, boolean disclose) {
        return switch (list) {
            case TASKS -> story(ListQuery.taskId(id), disclose);
            case SCHEDULES -> schedules.show(id);
            default -> throw new UnknownPathException(List.of("tasks/{id}", "schedules/{name}"), list + "/" + id);
        };
    }

    TaskViews.Story story(TaskId id, boolean disclose) {
        TaskStory story = inspection.story(id);
        String type = story.task().type();
        List<ErrorView> errors = story.errors().stream()
                .map(error -> ErrorView.of(error, disclose ? disclosure.message(type, error.message()) : null))
                .toList();
        return TaskViews.Story.of(story, errors, content(story, disclose));
    }

    private ContentView content(TaskStory story, boolean disclose) {
        TaskId id = story.task().id();
        if (!disclose) {
            return ContentView.hidden(disclosure.notAllowed());
        }
        TaskContent found = inspection.contents(List.of(id), Integer.MAX_VALUE).get(id);
        return found == null
                ? ContentView.hidden("The task was removed meanwhile.")
                : disclosure.content(story.task().type(), found, "");
    }

    private HeldViews.Held held(ListQuery query, int size, boolean disclose) {
        List<HeldTask> found = inspection.held(query.afterTask(), size);
        Map<TaskId, TaskContent> contents =
                disclose ? inspection.contents(found.stream().map(HeldTask::id).toList(), MAX_BYTES_IN_LIST) : Map.of();
        List<HeldViews.HeldView> held = found.stream()
                .map(task -> HeldViews.HeldView.of(task, content(task, contents.get(task.id()))))
                .toList();
        String next =
                held.size() < size ? null : Long.toString(held.get(size - 1).id());
        return new HeldViews.Held(held, next);
    }

    private @Nullable ContentView content(HeldTask task, @Nullable TaskContent found) {
        return found == null
                ? null
                : disclosure.content(
                        task.type(), found, "Larger than 16 KiB: see 'tasks/" + task.id() + "' for the whole.");
    }

    private IncidentViews.Incidents incidents(ListQuery query, int size) {
        Duration period = query.period();
        Cursor before = query.cursor();
        List<Incident> page = inspection.incidents(period, before, size);
        List<IncidentViews.IncidentCountView> counts = before.equals(Cursor.START)
                ? inspection.countIncidents(period).stream()
                        .map(IncidentViews.IncidentCountView::of)
                        .toList()
                : null;
        return new IncidentViews.Incidents(
                period.toSeconds(),
                counts,
                page.stream().map(IncidentViews.IncidentView::of).toList(),
                page.size() < size ? null : next(page.get(size - 1)));
    }

    private TaskViews.Tasks search(ListQuery query, int size) {
        TaskPage page = inspection.search(query.search(), query.cursor(), size);
        return new TaskViews.Tasks(
                page.tasks().stream().map(TaskViews.TaskView::of).toList(),
                page.examined(),
                ListQuery.text(page.next()));
    }

    private static @Nullable String next(Incident last) {
        return ListQuery.text(new Cursor(last.detectedAt(), last.id()));
    }
}
