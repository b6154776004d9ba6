package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.test.TestDatabase;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application with a slow request and a slow handler stops both at the same time, within one budget. */
@Tag("S8")
@Timeout(120)
class GracefulShutdownTests {
    private TestDatabase database;

    /** The same in all contexts of a test: beans of a context that has closed are gone. */
    private static CountDownLatch requestStarted;

    private static CountDownLatch mayAnswer;
    private static CountDownLatch handlerStarted;
    private static CountDownLatch mayEnd;

    @RestController
    static class Slow {
        @GetMapping("/slow")
        String slow() throws InterruptedException {
            requestStarted.countDown();
            mayAnswer.await();
            return "answered";
        }
    }

    static class Jobs {
        private final TaskQueue queue;

        Jobs(TaskQueue queue) {
            this.queue = queue;
        }

        @JobHandler("slow")
        void slow() throws InterruptedException {
            handlerStarted.countDown();
            mayEnd.await();
            queue.enqueue("follow-up", null);
        }

        @JobHandler("quick")
        void quick() {}
    }

    @BeforeEach
    void setUp() {
        database = TestDatabase.create();
        requestStarted = new CountDownLatch(1);
        mayAnswer = new CountDownLatch(1);
        handlerStarted = new CountDownLatch(1);
        mayEnd = new CountDownLatch(1);
    }

    @AfterEach
    void dropDatabase() {
        mayAnswer.countDown();
        mayEnd.countDown();
        database.close();
    }

    private RunningApplication start(String... properties) {
        return RunningApplication.start(database, List.of(Slow.class, Jobs.class), properties);
    }

    @Test
    void webServerAndWorkerStopTakingInWorkTogetherAndEndWhatTheyHave() throws Exception {
        RunningApplication application =
                start("konduit.queue.worker.drain-timeout=60s", "spring.lifecycle.timeout-per-shutdown-phase=60s");
        int port = ((WebServerApplicationContext) application.context())
                .getWebServer()
                .getPort();
        TaskQueue queue = application.bean(TaskQueue.class);
        CompletableFuture<String> answer =
                CompletableFuture.supplyAsync(() -> application.get("/slow").text());
        TaskId slow = queue.enqueue("slow", null);
        requestStarted.await();
        handlerStarted.await();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(application::close);

        // one after the other, the second would take in work until the first has ended
        await().until(() -> catchThrowable(() -> connect(port)) instanceof IOException);
        TaskId late = queue.enqueue("quick", null);
        await().during(500, TimeUnit.MILLISECONDS).until(() -> row(late).equals("PENDING 0"));
        assertThat(closed).isNotDone();
        assertThat(answer).isNotDone();
        assertThat(row(slow)).isEqualTo("RUNNING 1");

        mayAnswer.countDown();
        assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo("answered");
        mayEnd.countDown();
        closed.get(30, TimeUnit.SECONDS);
        assertThat(row(slow)).isEqualTo("COMPLETED 1");
        assertThat(row(late)).as("nothing was claimed after the stop began").isEqualTo("PENDING 0");
        assertThat(jdbc().sql("select count(*) from konduit_task where type = 'follow-up'")
                        .query(Long.class)
                        .single())
                .as("a handler may enqueue while it drains")
                .isEqualTo(1);
    }

    @Test
    void whatDoesNotEndInTimeIsGivenBackUncharged() throws Exception {
        RunningApplication application =
                start("konduit.queue.worker.drain-timeout=1s", "spring.lifecycle.timeout-per-shutdown-phase=1s");
        TaskId slow = application.bean(TaskQueue.class).enqueue("slow", null);
        handlerStarted.await();
        application.close();
        assertThat(row(slow)).isEqualTo("PENDING 1");
        assertThat(jdbc().sql("select attempts || ' of ' || max_attempts from konduit_tasks where id = :id")
                        .param("id", slow.value())
                        .query(String.class)
                        .single())
                .isEqualTo("0 of 3");
    }

    /** The phases of Spring end after their own time limit; a longer drain time still holds. */
    @Test
    void aDrainTimeLongerThanAShutdownPhaseHolds() throws Exception {
        RunningApplication application =
                start("konduit.queue.worker.drain-timeout=60s", "spring.lifecycle.timeout-per-shutdown-phase=100ms");
        TaskId slow = application.bean(TaskQueue.class).enqueue("slow", null);
        handlerStarted.await();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(application::close);
        await().during(1, TimeUnit.SECONDS).until(() -> !closed.isDone());
        mayEnd.countDown();
        closed.get(30, TimeUnit.SECONDS);
        assertThat(row(slow)).isEqualTo("COMPLETED 1");
    }

    private static void connect(int port) throws IOException {
        new Socket("localhost", port).close();
    }

    /** Status and how often it was claimed. */
    private String row(TaskId id) {
        return jdbc().sql("select status || ' ' || lease_epoch from konduit_tasks where id = :id")
                .param("id", id.value())
                .query(String.class)
                .single();
    }

    private JdbcClient jdbc() {
        return JdbcClient.create(database.dataSource());
    }
}
