package io.konduit.queue.sample;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Story 2: a handler that throws is retried, each time after a longer delay. */
@Component
class InvoiceJobs {
    private static final Logger log = LoggerFactory.getLogger(InvoiceJobs.class);
    private static final int FAILURES = 2;

    /** The payload. */
    record Invoice(long order) {}

    /** An ordinary exception. A {@link io.konduit.queue.DoNotRetryException} would fail the task at once. */
    static class PrinterJammedException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    @JobHandler(value = "invoice", maxAttempts = 5)
    void print(Invoice invoice, TaskContext task) throws PrinterJammedException {
        if (task.attempt() <= FAILURES) {
            throw new PrinterJammedException();
        }
        log.info("Printed the invoice of order {} at attempt {}", invoice.order(), task.attempt());
    }
}
