package io.konduit.queue.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.Priority;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.testing.EnqueuedTask;
import io.konduit.queue.testing.EnqueuedTasks;
import io.konduit.queue.testing.KonduitQueueTest;
import io.konduit.queue.testing.ManualWorker;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@KonduitQueueTest(properties = "konduit.queue.reject-unknown-types=true")
@Tag("Q1")
class EnqueuedTasksTests {
    record Order(int number, String item) {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({ShopDatabase.class, Shop.class})
    static class Application {}

    @Autowired
    private EnqueuedTasks tasks;

    @Autowired
    private ManualWorker worker;

    @Autowired
    private TaskQueue queue;

    @Autowired
    private JdbcClient jdbc;

    @BeforeEach
    void startAfresh() {
        jdbc.sql("create table if not exists effect (name text)").update();
        tasks.deleteAll();
    }

    @Test
    void tasksAreSeenByTypeWaitingAndDone() {
        assertThat(tasks).isEmpty();
        queue.enqueue("clears-and-fills", "row");
        worker.runDue();
        queue.enqueue(TaskRequest.of("clears-and-fills", "later")
                .delay(Duration.ofHours(1))
                .priority(Priority.HIGH)
                .queue("mail")
                .uniqueKey("k"));
        queue.enqueue("follow-up", "other");
        assertThat(tasks)
                .ofType("clears-and-fills")
                .extracting(EnqueuedTask::status)
                .containsExactly(TaskStatus.COMPLETED, TaskStatus.PENDING);
        assertThat(tasks).withStatus(TaskStatus.PENDING).hasSize(2).first().satisfies(task -> {
            assertThat(task.priority()).isEqualTo(Priority.HIGH);
            assertThat(task.queue()).isEqualTo("mail");
            assertThat(task.uniqueKey()).isEqualTo("k");
            assertThat(task.payload()).isEqualTo("\"later\"");
        });
        assertThat(tasks).payloadsOfType("follow-up", String.class).containsExactly("other");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(tasks).ofType("follow-up").isEmpty())
                .withMessageContaining("tasks of type 'follow-up'");
    }

    @Test
    void timeMovesUntilADelayedTaskIsDue() {
        queue.enqueue(TaskRequest.of("follow-up", "later").delay(Duration.ofHours(1)));
        assertThat(worker.runDue()).isEmpty();
        worker.letTimePass(Duration.ofHours(1));
        assertThat(worker.runDue()).hasSize(1);
        assertThat(tasks).withStatus(TaskStatus.COMPLETED).hasSize(1);
    }

    @Test
    void transactionSeesWhatItHasEnqueued(@Autowired PlatformTransactionManager transactions) {
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            queue.enqueue("follow-up", "rolled back");
            assertThat(tasks).ofType("follow-up").hasSize(1);
            status.setRollbackOnly();
        });
        assertThat(tasks).isEmpty();
    }

    @Test
    void nothingRunsByItselfAndTheDataSourceStaysWhatItIs(@Autowired ApplicationContext context) {
        assertThat(context.getEnvironment().getProperty("konduit.queue.worker.enabled"))
                .isEqualTo("false");
        assertThat(context.getBean(DataSource.class)).isInstanceOf(HikariDataSource.class);
        assertThatExceptionOfType(RuntimeException.class)
                .as("properties of the test count too")
                .isThrownBy(() -> queue.enqueue("unknown", null));
        assertThat(context.getBean(HikariDataSource.class).getJdbcUrl()).contains("konduit_test");
    }
}
