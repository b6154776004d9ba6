package io.konduit.queue.sample;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Story 4: work in an external system, which no transaction of ours can undo.
 *
 * <ul>
 *   <li>{@code reapable = false}: if the worker is lost halfway, only a person can find out whether the money has
 *       moved. The task does not run again until a person decides.
 *   <li>The idempotency key is the same at every attempt: the provider recognises a request it has seen.
 *   <li>The fencing token grows with every claim: the provider refuses a worker that was presumed dead and wakes up late.
 * </ul>
 */
@Component
class PaymentJobs {
    private static final Logger log = LoggerFactory.getLogger(PaymentJobs.class);

    private final PaymentProvider provider;

    /** The payload; {@code seconds} is how slow the provider is. */
    record Payment(long order, int cents, int seconds) {}

    PaymentJobs(PaymentProvider provider) {
        this.provider = provider;
    }

    @JobHandler(value = "payment", reapable = false)
    void charge(Payment payment, TaskContext task) throws InterruptedException {
        log.info("Charging order {} with fencing token {}", payment.order(), task.fencingToken());
        boolean charged = provider.charge(task.idempotencyKey(), task.fencingToken(), payment);
        log.info("Order {} {}", payment.order(), charged ? "is charged" : "had been charged before");
    }
}
