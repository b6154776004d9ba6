package io.konduit.queue.enqueue;

import io.konduit.queue.Submission;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.insert.NewTask;
import io.konduit.queue.insert.TaskInserts;
import io.konduit.queue.observation.TaskObservations;
import io.konduit.queue.store.Start;
import io.konduit.queue.store.StartRepository.Moved;
import io.konduit.queue.store.TaskRepository;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The queue that applications inject: one statement in the caller's transaction, and a wake-up after its commit. */
public final class TransactionalTaskQueue implements TaskQueue {
    private static final String APPLICATION = "application";

    private final TaskInserts inserts;
    private final TaskRepository tasks;
    private final RequestChecker checker;
    private final TaskObservations observations;
    private final AfterCommit afterCommit;

    public TransactionalTaskQueue(
            TaskInserts inserts,
            TaskRepository tasks,
            RequestChecker checker,
            AfterCommit afterCommit,
            TaskObservations observations) {
        this.inserts = inserts;
        this.tasks = tasks;
        this.checker = checker;
        this.afterCommit = afterCommit;
        this.observations = observations;
    }

    @Override
    public TaskId enqueue(String type, @Nullable Object payload) {
        return enqueue(TaskRequest.of(type, payload));
    }

    @Override
    public TaskId enqueue(TaskRequest request) {
        return submit(request).id();
    }

    @Override
    public Submission submit(TaskRequest request) {
        return observations.enqueue(request.type(), traceContext -> {
            NewTask task = checker.check(request, traceContext);
            Submission submission = inserts.enqueue(task);
            if (submission.created()) {
                afterCommit.enqueued(task, submission.id());
            }
            return submission;
        });
    }

    @Override
    public List<TaskId> enqueueAll(Collection<TaskRequest> requests) {
        if (requests.isEmpty()) {
            return List.of();
        }
        List<TaskRequest> all = List.copyOf(requests);
        boolean keys = all.stream().anyMatch(request -> request.uniqueKey() != null);
        return observations.enqueue(all.get(0).type(), traceContext -> {
            List<NewTask> checked = new CheckedRequests(all, request -> checker.check(request, traceContext));
            List<Submission> submissions = inserts.enqueueAll(checked, keys);
            List<NewTask> created = new ArrayList<>();
            List<TaskId> ids = new ArrayList<>();
            for (int i = 0; i < submissions.size(); i++) {
                if (submissions.get(i).created()) {
                    created.add(checked.get(i));
                    ids.add(submissions.get(i).id());
                }
            }
            afterCommit.enqueued(created, ids);
            return submissions.stream().map(Submission::id).toList();
        });
    }

    @Override
    public Optional<Task> find(TaskId id) {
        return tasks.find(id);
    }

    @Override
    public boolean cancel(TaskId id) {
        return tasks.cancel(id, APPLICATION, null);
    }

    @Override
    public boolean reschedule(TaskId id, Instant runAt) {
        Optional<Moved> moved = tasks.starts().reschedule(id, Start.at(runAt));
        moved.ifPresent(task -> {
            if (task.due()) {
                afterCommit.due(task.queue());
            } else {
                afterCommit.due(task.queue(), task.in());
            }
        });
        return moved.isPresent();
    }
}
