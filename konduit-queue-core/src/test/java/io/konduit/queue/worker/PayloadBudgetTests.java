package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Lease;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PayloadBudgetTests {
    private final ActiveLeases active = new ActiveLeases();
    private final PayloadBudget budget = new PayloadBudget(10_000, 1, active);

    @Test
    void isASixteenthOfTheHeapBetweenOneAndSixtyFourMebibytes() {
        assertThat(PayloadBudget.ofHeap(8L << 20)).isEqualTo(1L << 20);
        assertThat(PayloadBudget.ofHeap(512L << 20)).isEqualTo(32L << 20);
        assertThat(PayloadBudget.ofHeap(Long.MAX_VALUE)).isEqualTo(64L << 20);
    }

    @Test
    void asksForAllThereIsRoomForBeforeItKnowsHowLargeTasksAre() {
        assertThat(budget.rows(4_000)).isEqualTo(4_000);
        assertThat(budget.left()).isEqualTo(10_000);
    }

    /** Otherwise each claim would lock thousands of tasks to take a few of them. */
    @Test
    void asksForAsManyAsOfTheLastOnesWouldFit() {
        budget.learn(tasks(4, 1_000));
        assertThat(budget.rows(4_000)).isEqualTo(10);
        assertThat(budget.rows(3)).isEqualTo(3);
        budget.learn(tasks(4, 0));
        assertThat(budget.rows(4_000)).isEqualTo(20);
        budget.learn(tasks(4, 1_500));
        assertThat(budget.rows(4_000)).as("the mean of 500 and 1 500").isEqualTo(10);
    }

    @Test
    void whatWaitsAndRunsCounts() {
        budget.learn(tasks(1, 1_000));
        List<RunningTask> held = tasks(9, 1_000).stream()
                .map(task -> new RunningTask(task, Duration.ZERO, 0))
                .toList();
        held.forEach(active::add);
        assertThat(budget.left()).isEqualTo(1_000);
        assertThat(budget.rows(100)).isEqualTo(1);
        active.add(new RunningTask(task(77, 500), Duration.ZERO, 0));
        assertThat(budget.rows(100)).as("the next one may be smaller").isEqualTo(1);
        active.add(new RunningTask(task(78, 500), Duration.ZERO, 0));
        assertThat(budget.rows(100)).as("wait for room").isZero();
        held.forEach(active::remove);
        held.forEach(active::remove);
        assertThat(budget.left()).isEqualTo(9_000);
    }

    @Test
    void oneTaskIsAlwaysTakenHoweverLargeItIs() {
        budget.learn(tasks(1, 1_000_000));
        assertThat(budget.rows(100)).isEqualTo(1);
    }

    /** A claim that cannot be read or sent within the time of a statement would fail forever. */
    @Test
    void asksForLessAfterAFailureAndForMoreAgainAfterSuccess() {
        assertThat(budget.rows(4_000)).isEqualTo(4_000);
        budget.failed();
        assertThat(budget.rows(4_000)).isEqualTo(250);
        budget.failed();
        assertThat(budget.rows(4_000)).isEqualTo(15);
        budget.failed();
        budget.failed();
        assertThat(budget.rows(4_000)).isEqualTo(1);
        budget.learn(List.of());
        assertThat(budget.rows(4_000)).isEqualTo(2);
        for (int i = 0; i < 40; i++) {
            budget.learn(List.of());
        }
        assertThat(budget.rows(4_000)).isEqualTo(4_000);
    }

    @Test
    void lanesShareIt() {
        assertThat(new PayloadBudget(10_000, 4, active).left()).isEqualTo(2_500);
    }

    @Test
    void taskClaimedAgainCountsOnce() {
        active.add(new RunningTask(task(1, 100), Duration.ZERO, 0));
        active.add(new RunningTask(task(1, 300), Duration.ZERO, 0));
        assertThat(active.bytes()).isEqualTo(300);
    }

    private static List<ClaimedTask> tasks(int count, int size) {
        return LongStream.rangeClosed(1, count).mapToObj(id -> task(id, size)).toList();
    }

    private static ClaimedTask task(long id, int size) {
        return new ClaimedTask(
                new Lease(id, 1, 0),
                "default",
                "type",
                "x".repeat(size),
                2,
                Tasks.RUN_AT,
                1,
                3,
                true,
                Duration.ofMinutes(1),
                null,
                null,
                null,
                Tasks.RUN_AT,
                Duration.ZERO);
    }
}
