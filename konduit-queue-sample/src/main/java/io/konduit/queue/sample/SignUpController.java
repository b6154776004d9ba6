package io.konduit.queue.sample;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /sign-ups?mail=ada@example.org}, and the same with {@code &fail=true} to see it rolled back. */
@RestController
class SignUpController {
    private final SignUpService signUps;

    SignUpController(SignUpService signUps) {
        this.signUps = signUps;
    }

    @PostMapping("/sign-ups")
    @ResponseStatus(HttpStatus.ACCEPTED)
    EnqueuedTask register(@RequestParam String mail, @RequestParam(defaultValue = "false") boolean fail) {
        return EnqueuedTask.of(signUps.register(mail, fail));
    }

    @ExceptionHandler
    ProblemDetail rolledBack(SignUpFailedException failure) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(failure.getMessage()));
    }
}
