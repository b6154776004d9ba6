package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.thread.QueueThreads;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PollSignalTests {
    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long LONG_MILLIS = TimeUnit.MINUTES.toMillis(10);

    private final PollSignal signal = new PollSignal(System::nanoTime);
    private Thread waiting;

    private interface Waiting {
        void await() throws InterruptedException;
    }

    private Thread start(Waiting work) {
        waiting = QueueThreads.start("signal-test", () -> {
            try {
                work.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return waiting;
    }

    private static void awaitBlocked(Thread thread) {
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    }

    private static void awaitEnd(Thread thread) {
        await().until(() -> !thread.isAlive());
    }

    @AfterEach
    void end() {
        if (waiting != null) {
            waiting.interrupt();
        }
    }

    @Test
    void wakesWhenSomethingIsDue() {
        Thread poller = start(() -> signal.awaitDue(LONG_NANOS));
        awaitBlocked(poller);
        signal.tasksDue();
        awaitEnd(poller);
    }

    @Test
    void signalGivenWhileThePollerIsBusyIsNotLost() {
        signal.tasksDue();
        awaitEnd(start(() -> signal.awaitDue(LONG_NANOS)));
    }

    @Test
    void signalThatAClaimHasAnsweredDoesNotWakeAgain() {
        signal.tasksDue();
        signal.clearDue();
        awaitBlocked(start(() -> signal.awaitDue(LONG_NANOS)));
    }

    @Test
    void wakesWhenRoomIsMade() {
        signal.wantRoom();
        Thread poller = start(() -> signal.awaitRoom(LONG_MILLIS));
        awaitBlocked(poller);
        signal.roomMade();
        awaitEnd(poller);
    }

    @Test
    void roomMadeBetweenTheLookAndTheWaitIsNotLost() {
        signal.wantRoom();
        signal.roomMade();
        awaitEnd(start(() -> signal.awaitRoom(LONG_MILLIS)));
    }

    /** A poller that may not claim now waits here again and again: an old signal must not make it spin. */
    @Test
    void roomThatWasMadeOnceWakesOnce() throws InterruptedException {
        signal.wantRoom();
        signal.roomMade();
        signal.awaitRoom(LONG_MILLIS);
        awaitBlocked(start(() -> signal.awaitRoom(LONG_MILLIS)));
    }

    @Test
    void restIsNotEndedByWhatIsDueButByTheEnd() {
        signal.tasksDue();
        Thread poller = start(() -> signal.rest(LONG_NANOS));
        awaitBlocked(poller);
        signal.end();
        awaitEnd(poller);
        awaitEnd(start(() -> signal.rest(LONG_NANOS)));
    }

    @Test
    void waitIsEndedByTheEndAndSaysThatNothingIsDue() {
        AtomicReference<Boolean> due = new AtomicReference<>();
        Thread poller = start(() -> due.set(signal.awaitDue(LONG_NANOS)));
        awaitBlocked(poller);
        signal.end();
        awaitEnd(poller);
        assertThat(due).hasValue(false);
    }

    @Test
    void signalsFromOtherThreadsDoNotWaitForAPollerThatHasFinished() {
        Thread poller = start(() -> assertThat(signal.awaitDue(1)).isFalse());
        awaitEnd(poller);
        signal.tasksDue();
        awaitEnd(start(signal::clearDue));
    }

    @Test
    void endsWhenTheTimeIsUp() throws InterruptedException {
        assertThat(signal.awaitDue(1)).isFalse();
        signal.rest(1);
        signal.tasksDue();
        assertThat(signal.awaitDue(1)).isTrue();
        signal.awaitRoom(1);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
