package io.konduit.queue.sample;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import java.util.List;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Shows tasks, and cancels them. */
@RestController
class TaskController {
    private final TaskQueue queue;
    private final JdbcClient jdbc;

    TaskController(TaskQueue queue, JdbcClient jdbc) {
        this.queue = queue;
        this.jdbc = jdbc;
    }

    @GetMapping("/tasks/{id}")
    TaskView task(@PathVariable long id) {
        return queue.find(TaskId.of(id)).map(TaskView::of).orElseThrow(() -> unknown(id));
    }

    /** The newest tasks. The view {@code konduit_tasks} is there for your own queries. */
    @GetMapping("/tasks")
    List<TaskView> newest() {
        return jdbc.sql("select id from konduit_tasks order by id desc limit 20").query(Long.class).list().stream()
                .map(TaskId::of)
                .map(queue::find)
                .flatMap(Optional::stream)
                .map(TaskView::of)
                .toList();
    }

    @DeleteMapping("/tasks/{id}")
    TaskView cancel(@PathVariable long id) {
        queue.cancel(TaskId.of(id));
        return task(id);
    }

    private static ResponseStatusException unknown(long id) {
        return new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no task " + id + ".");
    }
}
