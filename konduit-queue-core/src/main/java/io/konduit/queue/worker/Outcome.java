package io.konduit.queue.worker;

import io.konduit.queue.store.Failure;
import io.konduit.queue.store.RunError;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a run ended, on its way to the database. */
sealed interface Outcome {
    RunningTask run();

    /** The completion was committed with the handler's transaction: nothing is left to write. */
    record Written(RunningTask run) implements Outcome {}

    /**
     * Nothing is reported: the lease is left to end.
     *
     * @param error how the interrupted run ended, as evidence
     */
    record LeftToReaper(RunningTask run, RunError error) implements Outcome {}

    record Completed(RunningTask run) implements Outcome {}

    /**
     * @param error what the handler threw; it stays in this process
     */
    record Failed(
            RunningTask run, Failure failure, @Nullable Throwable error) implements Outcome {
        Failed(RunningTask run, Failure failure) {
            this(run, failure, null);
        }
    }

    /** The handler ended its run; the task comes back after the delay. */
    record Snoozed(RunningTask run, Duration delay) implements Outcome {}

    /** Only wakes the completer. */
    record None() implements Outcome {
        @Override
        public RunningTask run() {
            throw new IllegalStateException("There is no run.");
        }
    }

    record GivenBack(RunningTask run, Duration delay) implements Outcome {}
}
