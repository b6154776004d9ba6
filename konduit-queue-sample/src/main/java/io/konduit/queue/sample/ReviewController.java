package io.konduit.queue.sample;

import io.konduit.queue.HeldTask;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskNotFoundException;
import io.konduit.queue.TaskStateException;
import io.konduit.queue.admin.TaskAdministration;
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
 * Story 4, after a crash: the tasks that wait for a person, and the two answers a person can give.
 *
 * <p>A real application lets only its operators in, and takes the actor from who is signed in.
 */
@RestController
class ReviewController {
    private static final int MOST = 100;

    private final TaskAdministration administration;

    ReviewController(TaskAdministration administration) {
        this.administration = administration;
    }

    @GetMapping("/held")
    List<HeldTask> held() {
        return administration.held(null, MOST);
    }

    /** It has not happened: let it run again. */
    @PostMapping("/held/{id}/release")
    void release(@PathVariable long id, @RequestParam String actor, @RequestParam(defaultValue = "") String note) {
        administration.release(TaskId.of(id), actor, note);
    }

    /** It has happened, or must not happen any more. */
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
