package io.konduit.queue.sample;

import io.konduit.queue.Priority;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** {@code POST /imports?rows=600}. */
@RestController
class ImportController {
    private static final int MAX_ROWS = 100_000;

    private final TaskQueue queue;

    ImportController(TaskQueue queue) {
        this.queue = queue;
    }

    /** Mails and payments go before imports when all are due. */
    @PostMapping("/imports")
    @ResponseStatus(HttpStatus.ACCEPTED)
    EnqueuedTask run(@RequestParam(defaultValue = "600") int rows) {
        if (rows < 1 || rows > MAX_ROWS) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "rows must be between 1 and " + MAX_ROWS + " but is " + rows + ".");
        }
        return EnqueuedTask.of(queue.enqueue(TaskRequest.of("product-import", new ImportJobs.ProductImport(rows))
                .priority(Priority.LOW)));
    }
}
