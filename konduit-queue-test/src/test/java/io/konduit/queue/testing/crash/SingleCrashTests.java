package io.konduit.queue.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.Priority;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.testing.CrashPoint;
import io.konduit.queue.testing.KonduitQueueTest;
import io.konduit.queue.testing.ManualWorker;
import io.konduit.queue.testing.ManualWorker.Result;
import io.konduit.queue.testing.ManualWorker.Run;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

@KonduitQueueTest
@Tag("Q2")
class SingleCrashTests {
    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({ShopDatabase.class, Shop.class})
    static class Application {}

    @Autowired
    private ManualWorker worker;

    @Autowired
    private Shop shop;

    @Autowired
    private TaskQueue queue;

    @Autowired
    private JdbcClient jdbc;

    @BeforeEach
    void startAfresh() {
        jdbc.sql("create table if not exists effect (name text)").update();
        jdbc.sql("truncate effect, konduit_task, konduit_task_history").update();
        shop.mails.clear();
    }

    private List<String> effects() {
        return jdbc.sql("select name from effect order by name")
                .query(String.class)
                .list();
    }

    private TaskStatus status(TaskId id) {
        return queue.find(id).orElseThrow().status();
    }

    @Test
    void secondRunGoesOnAfterTheCommitThatTheFirstDidNotHearOf() {
        TaskId id = queue.enqueue("rows-with-checkpoints", 3);
        assertThat(worker.runAndDie(CrashPoint.afterCommit(2)))
                .isEqualTo(new Run(id, "rows-with-checkpoints", Result.DIED, null));
        assertThat(effects()).containsExactly("row 1", "row 2");
        assertThat(status(id)).isEqualTo(TaskStatus.PENDING);
        assertThat(queue.find(id).orElseThrow().zombieCount()).isEqualTo(1);
        assertThat(worker.runDue()).extracting(Run::result).containsExactly(Result.COMPLETED);
        assertThat(effects()).containsExactly("row 1", "row 2", "row 3");
    }

    @Test
    void openTransactionIsRolledBack() {
        TaskId id = queue.enqueue("rows-with-checkpoints", 3);
        worker.runAndDie(CrashPoint.afterCheckpoint(2));
        assertThat(effects()).containsExactly("row 1");
        assertThat(jdbc.sql("select checkpoint from konduit_task where id = :id")
                        .param("id", id.value())
                        .query(String.class)
                        .single())
                .isEqualTo("1");
    }

    @Test
    void eachKindOfPointIsReached() {
        queue.enqueue("sends-before-it-notes", "Ada");
        worker.runAndDie(CrashPoint.named("mail sent"));
        assertThat(shop.mails).containsExactly("Ada");
        assertThat(effects()).isEmpty();
        worker.runAndDie(CrashPoint.atStart());
        assertThat(shop.mails).hasSize(1);
        worker.runAndDie(CrashPoint.beforeCompletion());
        assertThat(effects()).containsExactly("Ada");
        TaskId id = queue.enqueue(TaskRequest.of("clears-and-fills", "row").priority(Priority.HIGH));
        worker.runAndDie(CrashPoint.afterCompletion());
        assertThat(status(id)).isEqualTo(TaskStatus.COMPLETED);
    }

    @Test
    void taskThatMustNotRunTwiceIsHeldAfterwards() {
        TaskId id = queue.enqueue("once-only", "payment");
        worker.runAndDie(CrashPoint.afterCommit(1));
        assertThat(status(id)).isEqualTo(TaskStatus.HELD);
        assertThat(worker.runDue()).isEmpty();
    }

    @Test
    void pointThatIsNotPassedIsAnErrorThatNamesThoseThatAre() {
        queue.enqueue("clears-and-fills", "row");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> worker.runAndDie(CrashPoint.afterCheckpoint(1)))
                .withMessageContaining(
                        "has ended without passing the point after checkpoint 1. It has passed: at the start, after commit 1 (delete from effect, Shop.java:");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> worker.runAndDie(CrashPoint.atStart()))
                .withMessageStartingWith("No task is due.");
    }

    @Test
    void handlerThatCatchesItsDeathIsAnError() {
        queue.enqueue("catches-everything", "row");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> worker.runAndDie(CrashPoint.afterCommit(1)))
                .withMessageEndingWith("Let Errors pass: catch Exception, not Throwable.");
    }

    @Test
    void numbersBeginAtOne() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> CrashPoint.afterCommit(0))
                .withMessage("Expected a number of 1 or more, but it is 0.");
        assertThat(CrashPoint.afterCommit(2)).hasToString("after commit 2");
    }

    @Test
    void pointsMeanNothingUnlessSomebodyWatches() {
        CrashPoint.reached("mail sent");
        queue.enqueue("sends-before-it-notes", "Ada");
        assertThat(worker.runDue()).extracting(Run::result).containsExactly(Result.COMPLETED);
    }
}
