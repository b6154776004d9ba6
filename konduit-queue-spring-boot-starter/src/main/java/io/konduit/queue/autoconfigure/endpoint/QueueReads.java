package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.HeldTask;
import io.konduit.queue.Incident;
import io.konduit.queue.TaskId;
import io.konduit.queue.admin.QueueAdministration;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.TaskStory;
import io.konduit.queue.store.ContentRepository.Content;
import io.konduit.queue.store.Cursor;
import io.konduit.queue.store.SearchRepository.Page;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The questions that the endpoint answers. None of them changes anything. */
final class QueueReads {
    private static final String TASKS = "tasks";
    private static final int MAX_BYTES_IN_LIST = 16 * 1024;
    private static final List<String> LISTS =
            List.of("queues", "workers", "held", "zombies", "incidents", TASKS, "orphans", "decisions", "audit");

    private final QueueInspection inspection;
    private final TaskAdministration tasks;
    private final QueueAdministration queues;
    private final Disclosure disclosure;

    QueueReads(
            QueueInspection inspection, TaskAdministration tasks, QueueAdministration queues, Disclosure disclosure) {
        this.inspection = inspection;
        this.tasks = tasks;
        this.queues = queues;
        this.disclosure = disclosure;
    }

    Disclosure disclosure() {
        return disclosure;
    }

    OperationResponseBody overview() {
        return Views.Overview.of(inspection.overview());
    }

    OperationResponseBody list(String list, ListQuery query, boolean disclose) {
        int size = query.pageSize();
        return switch (list) {
            case "queues" ->
                new Views.Queues(
                        inspection.queues().stream().map(Views.Queue::of).toList());
            case "workers" ->
                new Views.Workers(
                        inspection.workers().stream().map(Views.Worker::of).toList());
            case "held" -> held(query, size, disclose);
            case "zombies" -> {
                int above = query.limit(inspection.zombieLimit());
                yield new Views.Zombies(
                        above,
                        inspection.zombiesAbove(above, size).stream()
                                .map(Views.TaskView::of)
                                .toList());
            }
            case "incidents" -> incidents(query, size);
            case TASKS -> search(query, size);
            case "orphans" ->
                new Views.Orphans(inspection.orphans(size).stream()
                        .map(Views.OrphanView::of)
                        .toList());
            case "audit" -> AuditView.of(tasks.audit(query.cursor().id(), size), size);
            case "decisions" -> new Views.Decisions(queues.decisions(size));
            default -> throw new UnknownPathException(LISTS, list);
        };
    }

    OperationResponseBody show(String list, String id, boolean disclose) {
        if (!list.equals(TASKS)) {
            throw new UnknownPathException(List.of("tasks/{id}"), list + "/" + id);
        }
        return story(ListQuery.taskId(id), disclose);
    }

    Views.Story story(TaskId id, boolean disclose) {
        TaskStory story = inspection.story(id);
        String type = story.task().type();
        List<ErrorView> errors = story.errors().stream()
                .map(error -> ErrorView.of(error, disclose ? disclosure.message(type, error.message()) : null))
                .toList();
        return Views.Story.of(story, errors, content(story, disclose));
    }

    private ContentView content(TaskStory story, boolean disclose) {
        TaskId id = story.task().id();
        if (!disclose) {
            return ContentView.hidden(Disclosure.NOT_ALLOWED);
        }
        Content found = inspection.contents(List.of(id), Integer.MAX_VALUE).get(id);
        return found == null
                ? ContentView.hidden("The task was removed meanwhile.")
                : disclosure.content(story.task().type(), found, "");
    }

    private Views.Held held(ListQuery query, int size, boolean disclose) {
        List<HeldTask> found = tasks.held(query.afterTask(), size);
        Map<TaskId, Content> contents =
                disclose ? inspection.contents(found.stream().map(HeldTask::id).toList(), MAX_BYTES_IN_LIST) : Map.of();
        List<Views.HeldView> held = found.stream()
                .map(task -> Views.HeldView.of(task, content(task, contents.get(task.id()))))
                .toList();
        String next =
                held.size() < size ? null : Long.toString(held.get(size - 1).id());
        return new Views.Held(held, next);
    }

    private @Nullable ContentView content(HeldTask task, @Nullable Content found) {
        return found == null
                ? null
                : disclosure.content(
                        task.type(), found, "Larger than 16 KiB: see 'tasks/" + task.id() + "' for the whole.");
    }

    private Views.Incidents incidents(ListQuery query, int size) {
        Duration period = query.period();
        Cursor before = query.cursor();
        List<Incident> page = inspection.incidents(period, before, size);
        List<Views.IncidentCountView> counts = before.equals(Cursor.START)
                ? inspection.countIncidents(period).stream()
                        .map(Views.IncidentCountView::of)
                        .toList()
                : null;
        return new Views.Incidents(
                period.toSeconds(),
                counts,
                page.stream().map(Views.IncidentView::of).toList(),
                page.size() < size ? null : next(page.get(size - 1)));
    }

    private Views.Tasks search(ListQuery query, int size) {
        Page page = inspection.search(query.criteria(), query.cursor(), size);
        return new Views.Tasks(
                page.tasks().stream().map(Views.TaskView::of).toList(), page.examined(), ListQuery.text(page.next()));
    }

    private static @Nullable String next(Incident last) {
        return ListQuery.text(new Cursor(last.detectedAt().toString(), last.id()));
    }
}
