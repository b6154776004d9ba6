package io.konduit.queue.testing;

import io.konduit.queue.Priority;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.store.ClaimRequest;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.testing.ManualWorker.Result;
import io.konduit.queue.testing.ManualWorker.Run;
import io.konduit.queue.worker.CallingThreadRunner.Ran;
import io.konduit.queue.worker.HandlerCall;
import io.konduit.queue.worker.KnownHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A worker without threads: one claim, and its tasks one after another on the calling thread. */
final class SinglePass {
    private static final Duration LEASE = Duration.ofHours(1);

    private final QueueEngine engine;

    /** @param engine the engine of a worker with its own identity */
    SinglePass(QueueEngine engine) {
        this.engine = engine;
    }

    /** Claims up to {@code limit} due tasks and runs each once, best first. Those without a handler come last. */
    List<Run> run(List<String> queues, int limit) {
        LeaseRepository leases = engine.leases();
        KnownHandlers handlers = engine.knownHandlers();
        List<LeaseRepository.Unhandled> unhandled = leases.findUnhandled(queues, handlers.types(), limit);
        List<ClaimedTask> claimed = leases.claimDue(new ClaimRequest(
                probes(queues),
                limit,
                LEASE,
                engine.callingThreadRunner().maxAttempts(),
                handlers.declared(),
                handlers.types()));
        List<Run> runs = new ArrayList<>();
        try {
            for (ClaimedTask task : claimed) {
                runs.add(run(task, handlers.find(task.type()).orElseThrow(), HandlerCall.PLAIN));
            }
        } finally {
            giveBack(claimed.subList(runs.size(), claimed.size()));
        }
        unhandled.forEach(task -> runs.add(new Run(TaskId.of(task.id()), task.type(), Result.NO_HANDLER, null)));
        return List.copyOf(runs);
    }

    /** Claims and runs this task, which must be the first that is due. */
    Run runFirst(Task first, HandlerCall call) {
        KnownHandlers handlers = engine.knownHandlers();
        JobHandlerMethod handler = handlers.find(first.type())
                .orElseThrow(() -> new IllegalStateException("No handler of this application has the type '"
                        + first.type() + "'. Is the handler's bean in the context of the test?"));
        List<ClaimedTask> claimed = engine.leases()
                .claimDue(new ClaimRequest(
                        List.of(ClaimRequest.Probe.everything(first.queue(), first.priority())),
                        1,
                        LEASE,
                        engine.callingThreadRunner().maxAttempts(),
                        handlers.declared(),
                        List.of(first.type())));
        if (claimed.size() != 1 || claimed.get(0).id() != first.id().value()) {
            giveBack(claimed);
            throw new IllegalStateException("Expected to claim " + first.type() + " task " + first.id() + ", but found "
                    + claimed + ". Is its queue paused, or does another worker use this database?");
        }
        return run(claimed.get(0), handler, call);
    }

    private static List<ClaimRequest.Probe> probes(List<String> queues) {
        List<ClaimRequest.Probe> probes = new ArrayList<>();
        for (Priority priority : Priority.values()) {
            queues.forEach(queue -> probes.add(ClaimRequest.Probe.everything(queue, priority)));
        }
        return probes;
    }

    private Run run(ClaimedTask task, JobHandlerMethod handler, HandlerCall call) {
        Ran ran = engine.callingThreadRunner().run(task, handler, call);
        Result result =
                switch (ran.result()) {
                    case COMPLETED -> Result.COMPLETED;
                    case RETRIED -> Result.RETRIED;
                    case FAILED -> Result.FAILED;
                    case SNOOZED -> Result.SNOOZED;
                    case LEASE_LOST -> Result.LEASE_LOST;
                    case DIED -> Result.DIED;
                };
        return new Run(TaskId.of(task.id()), task.type(), result, ran.error());
    }

    private void giveBack(List<ClaimedTask> tasks) {
        if (!tasks.isEmpty()) {
            engine.leases().giveBack(tasks.stream().map(ClaimedTask::lease).toList(), Duration.ZERO);
        }
    }
}
