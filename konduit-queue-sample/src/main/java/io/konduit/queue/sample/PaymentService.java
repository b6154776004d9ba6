package io.konduit.queue.sample;

import io.konduit.queue.Priority;
import io.konduit.queue.Submission;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Story 4, the near end: an order has one payment, and so one task, even if a customer presses the button twice. */
@Service
class PaymentService {
    private final JdbcClient jdbc;
    private final TaskQueue queue;

    PaymentService(JdbcClient jdbc, TaskQueue queue) {
        this.jdbc = jdbc;
        this.queue = queue;
    }

    @Transactional
    Submission pay(PaymentJobs.Payment payment) {
        int inserted = jdbc.sql("insert into payment (order_number) values (:order) on conflict do nothing")
                .param("order", payment.order())
                .update();
        if (inserted == 0) {
            long known = jdbc.sql("select task from payment where order_number = :order")
                    .param("order", payment.order())
                    .query(Long.class)
                    .single();
            return new Submission(TaskId.of(known), false);
        }
        TaskId task = queue.enqueue(TaskRequest.of("payment", payment).priority(Priority.HIGH));
        jdbc.sql("update payment set task = :task where order_number = :order")
                .param("task", task.value())
                .param("order", payment.order())
                .update();
        return new Submission(task, true);
    }
}
