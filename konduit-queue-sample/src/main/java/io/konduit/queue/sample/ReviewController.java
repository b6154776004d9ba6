package io.konduit.queue.sample;

import io.konduit.queue.TaskId;
import io.konduit.queue.admin.HeldTask;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.TaskNotFoundException;
import io.konduit.queue.admin.TaskStateException;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Story 4, after a crash: the tasks that are held for review, and the two possible decisions.
 *
 * <p>A real application lets only its operators in, and takes the actor from the signed-in user.
 */
@RestController
class ReviewController {
    private static final int PAGE = 100;

    private final QueueInspection inspection;
    private final TaskAdministration administration;

    ReviewController(QueueInspection inspection, TaskAdministration administration) {
        this.inspection = inspection;
        this.administration = administration;
    }

    @GetMapping("/held")
    List<HeldTask> held() {
        return inspection.held(null, PAGE);
    }

    /** It has not happened: let it run again. */
    @PostMapping("/held/{id}/release")
    void release(@PathVariable long id, @RequestParam String actor, @RequestParam(defaultValue = "") String note) {
        administration.release(TaskId.of(id), actor, note);
    }

    /** It has happened, or must no longer happen. */
    @PostMapping("/held/{id}/fail")
    void fail(@PathVariable long id, @RequestParam String actor, @RequestParam(defaultValue = "") String note) {
        administration.fail(TaskId.of(id), actor, note);
    }

    @ExceptionHandler
    ProblemDetail unknown(TaskNotFoundException failure) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, String.valueOf(failure.getMessage()));
    }

    @ExceptionHandler
    ProblemDetail notHeld(TaskStateException failure) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(failure.getMessage()));
    }
}
