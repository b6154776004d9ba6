package io.konduit.queue.sample;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Story 1: the customer and the task that sends the welcome mail are committed together, or neither is. */
@Service
class SignUpService {
    private final JdbcClient jdbc;
    private final TaskQueue queue;

    SignUpService(JdbcClient jdbc, TaskQueue queue) {
        this.jdbc = jdbc;
        this.queue = queue;
    }

    @Transactional
    TaskId register(String mail, boolean fail) {
        long customer = jdbc.sql("insert into customer (mail) values (:mail) returning id")
                .param("mail", mail)
                .query(Long.class)
                .single();
        TaskId task = queue.enqueue("welcome-mail", new WelcomeMail(customer, mail));
        if (fail) {
            // any exception that leaves a @Transactional method rolls everything back, the task too
            throw new SignUpFailedException(customer, task);
        }
        return task;
    }
}
