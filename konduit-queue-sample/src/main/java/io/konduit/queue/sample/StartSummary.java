package io.konduit.queue.sample;

import io.konduit.queue.sample.database.EmbeddedDatabase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Prints to the console what to open and what to try. */
@Component
@ConditionalOnWebApplication
class StartSummary {
    private static final Logger log = LoggerFactory.getLogger(StartSummary.class);

    private final Environment environment;
    private final ObjectProvider<EmbeddedDatabase> embedded;

    StartSummary(Environment environment, ObjectProvider<EmbeddedDatabase> embedded) {
        this.environment = environment;
        this.embedded = embedded;
    }

    @EventListener(ApplicationReadyEvent.class)
    void print() {
        EmbeddedDatabase database = embedded.getIfAvailable();
        String text = """
                The sample is ready.

                  Open   {base}   the newest tasks, and buttons for what follows
                         {base}/konduit   the dashboard
                         {base}/actuator/health
                         {base}/actuator/prometheus
                         {base}/actuator/konduitqueue

                  Try    A sign-up and its welcome mail, committed together:
                           curl -X POST "{base}/sign-ups?mail=ada@example.org"
                         The same, rolled back: neither the customer nor the task is left.
                           curl -X POST "{base}/sign-ups?mail=ada@example.org&fail=true"
                         An invoice that fails twice and is tried again:
                           curl -X POST "{base}/invoices?order=7"
                         An import of a minute, with checkpoints:
                           curl -X POST "{base}/imports?rows=600"
                         A payment that must not run twice:
                           curl -X POST "{base}/payments?order=7&seconds=20"
                         How a task is getting on:
                           curl "{base}/tasks/1"

                  Crash  While an import or a payment runs, kill the application and start it again:
                           kill -9 {pid}
                  Review The payment is held then. See what waits, read its story, decide (5 is its id):
                           curl "{base}/actuator/konduitqueue/held"
                           curl "{base}/actuator/konduitqueue/tasks/5"
                         Did the bank book it? It knows each payment by the task's idempotencyKey:
                           curl "{base}/payments"
                           curl -X POST -H "Content-Type: application/json" -d '{"note": "not charged"}' "{base}/actuator/konduitqueue/tasks/5/release"
                  More   A second worker for the same tasks, in another terminal:
                           mvn -q -pl konduit-queue-sample -am spring-boot:run -Dspring-boot.run.arguments="--server.port=8081{database}"
                  Stop   Ctrl-C{data}
                """.replace("{base}", "http://localhost:" + environment.getRequiredProperty("local.server.port"))
                .replace("{pid}", Long.toString(ProcessHandle.current().pid()))
                .replace("{database}", " --spring.datasource.url=" + (database == null ? "..." : database.jdbcUrl()))
                .replace("{data}", database == null ? "" : "; the data stays in " + database.folder());
        log.info("{}", text);
    }
}
