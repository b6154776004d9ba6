package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.Submission;
import io.konduit.queue.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;

class GroupedInsertsTests {
    private final List<List<String>> statements = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch firstTwoMayGo = new CountDownLatch(1);
    private final GroupedInserts inserts = new GroupedInserts(this::insert);
    private final ExecutorService callers = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        firstTwoMayGo.countDown();
        callers.shutdownNow();
    }

    /** Stands for the database: the first two statements take until they are let go. */
    private List<Submission> insert(List<NewTask> tasks) {
        List<String> payloads = tasks.stream().map(NewTask::payload).toList();
        statements.add(payloads);
        try {
            if (payloads.contains("1") || payloads.contains("2")) {
                firstTwoMayGo.await();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (payloads.contains("-1")) {
            throw new DataIntegrityViolationException("refused");
        }
        if (payloads.contains("-2")) {
            throw new DataAccessResourceFailureException("no answer");
        }
        return payloads.stream()
                .map(payload -> new Submission(TaskId.of(Long.parseLong(payload)), true))
                .toList();
    }

    private static NewTask task(long number) {
        return new NewTask(
                "default", "t", Long.toString(number), 2, null, Duration.ZERO, 1, true, null, null, null, null);
    }

    private Future<Long> call(long number) {
        return callers.submit(() -> inserts.insert(task(number)).id().value());
    }

    /** Two are on their way and do not come back yet. */
    private void occupy() {
        call(1);
        await().until(() -> statements.size() == 1);
        call(2);
        await().until(() -> statements.size() == 2);
    }

    /** Calls that wait for the first two, in this order. */
    private List<Future<Long>> waiting(long... numbers) {
        List<Future<Long>> calls = new ArrayList<>();
        for (long number : numbers) {
            Thread[] thread = new Thread[1];
            CompletableFuture<Long> answer = new CompletableFuture<>();
            thread[0] = new Thread(() -> {
                try {
                    answer.complete(inserts.insert(task(number)).id().value());
                } catch (RuntimeException e) {
                    answer.completeExceptionally(e);
                }
            });
            thread[0].start();
            await().until(() -> thread[0].getState() == Thread.State.WAITING);
            calls.add(answer);
        }
        return calls;
    }

    @Test
    void oneAloneGoesAtOnce() {
        assertThat(inserts.insert(task(7))).isEqualTo(new Submission(TaskId.of(7), true));
        assertThat(statements).containsExactly(List.of("7"));
    }

    @Test
    void thoseThatComeMeanwhileGoTogether() throws Exception {
        occupy();
        List<Future<Long>> calls = waiting(3, 4, 5);
        assertThat(statements).containsExactly(List.of("1"), List.of("2"));
        firstTwoMayGo.countDown();
        for (int i = 0; i < calls.size(); i++) {
            assertThat(calls.get(i).get(10, TimeUnit.SECONDS)).isEqualTo(3 + i);
        }
        assertThat(statements).hasSize(3).endsWith(List.of("3", "4", "5"));
        assertThat(call(9).get(10, TimeUnit.SECONDS)).isEqualTo(9);
    }

    @Test
    void onlyTheOneThatIsRefusedFails() throws Exception {
        occupy();
        List<Future<Long>> calls = waiting(3, -1, 5);
        firstTwoMayGo.countDown();
        assertThat(calls.get(0).get(10, TimeUnit.SECONDS)).isEqualTo(3);
        assertThat(calls.get(2).get(10, TimeUnit.SECONDS)).isEqualTo(5);
        assertThatThrownBy(() -> calls.get(1).get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(DataIntegrityViolationException.class);
        assertThat(statements).endsWith(List.of("3", "-1", "5"), List.of("3"), List.of("-1"), List.of("5"));
    }

    @Test
    void noneIsSentAgainWhenTheAnswerIsLost() throws Exception {
        occupy();
        List<Future<Long>> calls = waiting(3, -2);
        firstTwoMayGo.countDown();
        for (Future<Long> call : calls) {
            assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(DataAccessResourceFailureException.class);
        }
        assertThat(statements).hasSize(3);
        assertThat(call(9).get(10, TimeUnit.SECONDS)).isEqualTo(9);
    }

    @Test
    void anInterruptIsKeptForTheCallerAndEndsNothing() throws Exception {
        occupy();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            inserts.insert(task(3));
            interrupted.complete(Thread.currentThread().isInterrupted());
        });
        caller.start();
        await().until(() -> caller.getState() == Thread.State.WAITING);
        caller.interrupt();
        assertThat(interrupted).isNotDone();
        firstTwoMayGo.countDown();
        assertThat(interrupted.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(statements).endsWith(List.of("3"));
    }
}
