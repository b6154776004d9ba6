package io.konduit.queue.sample;

import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /invoices?order=7}. */
@RestController
class InvoiceController {
    private final TaskQueue queue;

    InvoiceController(TaskQueue queue) {
        this.queue = queue;
    }

    /** Called twice while the first task is unfinished, the unique key makes the second answer name the first task. */
    @PostMapping("/invoices")
    @ResponseStatus(HttpStatus.ACCEPTED)
    EnqueuedTask print(@RequestParam long order) {
        return EnqueuedTask.of(queue.submit(
                TaskRequest.of("invoice", new InvoiceJobs.Invoice(order)).uniqueKey("invoice-" + order)));
    }
}
