package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a lane counts as taken, on every way that a task can go. */
@Tag("X1")
class LaneLoadTests {
    private static final int SLOTS = 2;

    private final List<Execution> settled = new ArrayList<>();
    private final LaneLoad load = new LaneLoad(SLOTS, settled::add);

    @Test
    void finishedWorkCountsUntilItIsWritten() {
        Execution execution = claimed(1);
        assertThat(load.occupied(0)).isEqualTo(1);
        execution.reported();
        assertThat(load.occupied(0)).isEqualTo(1);
        execution.settled();
        assertThat(load.occupied(0)).isZero();
        assertThat(settled).containsExactly(execution);
    }

    @Test
    void outcomesBehindALockTakeNoRoomUpToTheNumberOfSlots() {
        List<Execution> lockedOut = List.of(claimed(1), claimed(2), claimed(3));
        lockedOut.forEach(Execution::reported);
        lockedOut.forEach(Execution::lockedOut);
        assertThat(load.occupied(0)).isEqualTo(1);
        lockedOut.forEach(Execution::settled);
        assertThat(load.occupied(0)).isZero();
        claimed(4);
        claimed(5);
        assertThat(load.occupied(0)).as("nothing is left of the locks").isEqualTo(2);
    }

    @Test
    void whatIsSettledTwiceCountsOnce() {
        Execution execution = claimed(1);
        claimed(2);
        execution.settled();
        execution.settled();
        assertThat(load.occupied(0)).isEqualTo(1);
        assertThat(settled).containsExactly(execution);
    }

    private Execution claimed(long id) {
        Execution execution = new Execution(Tasks.claimed(id), Duration.ZERO, 0);
        execution.countIn(load);
        return execution;
    }
}
