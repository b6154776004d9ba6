package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a slot group counts as taken, on every path a task can take. */
@Tag("X1")
class SlotGroupLoadTests {
    private static final int SLOTS = 2;

    private final List<RunningTask> settled = new ArrayList<>();
    private int roomMade;
    private final SlotGroupLoad load = new SlotGroupLoad(SLOTS, settled::add, this::countRoomMade, System::nanoTime);

    @Test
    void finishedWorkCountsUntilItIsWritten() {
        RunningTask run = claimed(1);
        assertThat(load.occupied(0)).isEqualTo(1);
        run.reported();
        assertThat(load.occupied(0)).isEqualTo(1);
        run.settled();
        assertThat(load.occupied(0)).isZero();
        assertThat(settled).containsExactly(run);
    }

    @Test
    void outcomesBehindALockTakeNoRoomUpToTheNumberOfSlots() {
        List<RunningTask> lockedOut = List.of(claimed(1), claimed(2), claimed(3));
        lockedOut.forEach(RunningTask::reported);
        lockedOut.forEach(RunningTask::lockedOut);
        assertThat(load.occupied(0)).isEqualTo(1);
        lockedOut.forEach(RunningTask::settled);
        assertThat(load.occupied(0)).isZero();
        claimed(4);
        claimed(5);
        assertThat(load.occupied(0)).as("nothing is left of the locks").isEqualTo(2);
    }

    @Test
    void whatIsSettledTwiceCountsOnce() {
        RunningTask run = claimed(1);
        claimed(2);
        run.settled();
        run.settled();
        assertThat(load.occupied(0)).isEqualTo(1);
        assertThat(settled).containsExactly(run);
    }

    @Test
    void endOfARunMakesRoomBeforeItsOutcomeIsWritten() {
        RunningTask first = claimed(1);
        claimed(2);
        claimed(3);
        first.reported();
        assertThat(roomMade).as("the claiming thread hears of it").isEqualTo(1);
        assertThat(load.occupied(1)).as("claiming goes on beside writing").isEqualTo(2);
        assertThat(settled).isEmpty();
    }

    private void countRoomMade() {
        roomMade++;
    }

    private RunningTask claimed(long id) {
        RunningTask run = new RunningTask(Tasks.claimed(id), Duration.ZERO, 0);
        run.countIn(load);
        return run;
    }
}
