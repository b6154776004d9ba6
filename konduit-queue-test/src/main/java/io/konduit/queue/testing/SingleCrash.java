package io.konduit.queue.testing;

import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.testing.ManualWorker.Result;
import io.konduit.queue.testing.ManualWorker.Run;
import java.util.stream.Collectors;

/** One death at one point. */
record SingleCrash(ManualWorker worker) {

    Run run(CrashPoint point) {
        TestPreconditions.requireWatched(worker);
        TaskDriver driver = new TaskDriver(worker);
        Task task = driver.find(firstDue());
        Life life = new Life(Life.Fate.DEATH, (index, passed) -> point.matches(passed), () -> {}, worker.errors());
        driver.runToEnd(task.id(), life);
        if (life.metFate() == null) {
            throw new IllegalStateException(
                    "Task " + task.id() + " (" + task.type() + ") has ended without passing the point "
                            + point + ". It has passed: "
                            + life.passed().stream()
                                    .filter(PassedPoint::isDeadly)
                                    .map(PassedPoint::toString)
                                    .collect(Collectors.joining(", "))
                            + ".");
        }
        String swallowed = life.swallowed();
        if (swallowed != null) {
            throw new IllegalStateException(CrashRuns.swallowedText(swallowed));
        }
        driver.takeBackFromTheDead(task.id());
        worker.waiting().makeDue(task.id().value());
        return new Run(task.id(), task.type(), Result.DIED, null);
    }

    private TaskId firstDue() {
        return worker.waiting()
                .firstDue()
                .map(TaskId::of)
                .orElseThrow(() -> new IllegalStateException(
                        "No task is due. Enqueue one and commit; ManualWorker.makeDue() makes delayed ones due."));
    }
}
