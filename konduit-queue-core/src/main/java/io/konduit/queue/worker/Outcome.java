package io.konduit.queue.worker;

import io.konduit.queue.store.Failure;
import java.time.Duration;

/** How a run ended, on its way to the database. */
sealed interface Outcome {
    Execution execution();

    /** The completion was committed with the handler's transaction: nothing is left to write. */
    record Written(Execution execution) implements Outcome {}

    /** Nothing is reported: the lease is to end. */
    record LeftToReaper(Execution execution) implements Outcome {}

    record Completed(Execution execution) implements Outcome {}

    record Failed(Execution execution, Failure failure) implements Outcome {}

    record GivenBack(Execution execution, Duration delay) implements Outcome {}
}
