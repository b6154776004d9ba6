package io.konduit.queue.sample;

import io.konduit.queue.JobHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Story 1, the other end: runs soon after the sign-up has been committed, here or on another instance. */
@Component
class WelcomeMailJobs {
    private static final Logger log = LoggerFactory.getLogger(WelcomeMailJobs.class);

    private final JdbcClient jdbc;

    WelcomeMailJobs(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @JobHandler("welcome-mail")
    void send(WelcomeMail mail) {
        // a real application talks to its mail server here
        jdbc.sql("update customer set welcomed_at = clock_timestamp() where id = :customer")
                .param("customer", mail.customer())
                .update();
        log.info("Sent the welcome mail to customer {}", mail.customer());
    }
}
