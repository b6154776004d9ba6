package io.konduit.queue.faults;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TestNode;
import java.util.concurrent.CountDownLatch;

/** Declares what its senders do not know: a payment must not run twice. */
final class PaymentHandlers {
    private final TestNode node;
    private final CountDownLatch never = new CountDownLatch(1);

    PaymentHandlers(TestNode node) {
        this.node = node;
    }

    @JobHandler(value = "payment", reapable = false, maxAttempts = 1)
    void pay(TaskContext task) {
        say("start", task);
        say("end", task);
    }

    /** The bank does not answer. */
    @JobHandler(value = "slow-payment", reapable = false, maxAttempts = 1)
    void paySlowly(TaskContext task) throws InterruptedException {
        say("start", task);
        never.await();
    }

    private void say(String what, TaskContext task) {
        Oracle.say(what, task, node.worker().identity().id());
    }
}
