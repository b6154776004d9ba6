package io.konduit.queue.faults;

import io.konduit.queue.JobHandler;
import io.konduit.queue.LeaseLostException;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TestNode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What the worker JVMs do. Each effect is a row, so that it can be counted. */
final class FaultHandlers {
    /** How long a task takes. */
    record Work(long millis) {}

    private static final long FOR_EVER_MILLIS = 120_000;

    private final TestNode node;
    private final JdbcClient jdbc;
    private final CountDownLatch never = new CountDownLatch(1);

    FaultHandlers(TestNode node, DataSource dataSource) {
        this.node = node;
        this.jdbc = JdbcClient.create(dataSource);
    }

    /** Works, then writes in a transaction as a {@code @Transactional} service would. */
    @JobHandler("effect")
    void effect(Work work, TaskContext task) throws InterruptedException {
        say("start", task);
        take(work.millis());
        writeInTransaction(task);
        say("end", task);
    }

    /** Works and writes in the transaction that completes it. */
    @JobHandler(value = "exact", transactional = true)
    void exact(Work work, TaskContext task) throws InterruptedException {
        say("start", task);
        take(work.millis());
        write(task);
        say("end", task);
    }

    /** Waits forever in its first run, and not at all afterwards. */
    @JobHandler("patient")
    void patient(TaskContext task) throws InterruptedException {
        say("start", task);
        if (task.fencingToken() == 1) {
            take(FOR_EVER_MILLIS);
        }
        writeInTransaction(task);
        say("end", task);
    }

    /** Is interrupted in its first run, and goes on all the same: tries to write and reports success. */
    @JobHandler("zombie")
    void zombie(TaskContext task) {
        say("start", task);
        if (!task.recovering()) {
            try {
                take(FOR_EVER_MILLIS);
            } catch (InterruptedException e) {
                say("interrupted", task);
            }
        }
        try {
            writeInTransaction(task);
            say("written", task);
        } catch (LeaseLostException e) {
            say("refused", task);
        }
        say("end", task);
    }

    /** Does nothing with whatever it is given. */
    @JobHandler("blob")
    void blob(String content) {}

    /** Takes its JVM down. */
    @JobHandler("killer")
    void killer(TaskContext task) {
        say("start", task);
        Runtime.getRuntime().halt(1);
    }

    private void take(long millis) throws InterruptedException {
        never.await(millis, TimeUnit.MILLISECONDS);
    }

    private void writeInTransaction(TaskContext task) {
        node.transaction().executeWithoutResult(status -> write(task));
    }

    private void write(TaskContext task) {
        jdbc.sql("insert into effects (task_id, epoch, type) values (:id, :epoch, :type)")
                .param("id", task.id().value())
                .param("epoch", task.fencingToken())
                .param("type", task.type())
                .update();
    }

    private void say(String what, TaskContext task) {
        Oracle.say(what, task, node.worker().identity().id());
    }
}
