package io.konduit.queue.enqueue;

import io.konduit.queue.Submission;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.store.NewTask;
import io.konduit.queue.store.TaskRepository;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The queue that applications inject: one statement in the caller's transaction, and a wake-up after its commit. */
public final class TransactionalTaskQueue implements TaskQueue {
    private static final String APPLICATION = "application";

    private final TaskRepository tasks;
    private final RequestChecker checker;
    private final AfterCommit afterCommit;

    public TransactionalTaskQueue(
            TaskRepository tasks,
            JobHandlerRegistry handlers,
            PayloadConverter converter,
            boolean rejectUnknownTypes,
            Supplier<Stream<TaskWakeUp>> wakeUps) {
        this.tasks = tasks;
        this.checker = new RequestChecker(handlers, converter, rejectUnknownTypes);
        this.afterCommit = new AfterCommit(wakeUps);
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
        NewTask task = checker.check(request);
        Submission submission = tasks.enqueue(task);
        if (submission.created() && isDue(task)) {
            afterCommit.wake(Set.of(task.queue()));
        }
        return submission;
    }

    @Override
    public List<TaskId> enqueueAll(Collection<TaskRequest> requests) {
        List<NewTask> checked = requests.stream().map(checker::check).toList();
        List<Submission> submissions = tasks.enqueueAll(checked);
        afterCommit.wake(checked.stream()
                .filter(TransactionalTaskQueue::isDue)
                .map(NewTask::queue)
                .collect(Collectors.toUnmodifiableSet()));
        return submissions.stream().map(Submission::id).toList();
    }

    @Override
    public Optional<Task> find(TaskId id) {
        return tasks.find(id);
    }

    @Override
    public boolean cancel(TaskId id) {
        return tasks.cancel(id, APPLICATION, null);
    }

    /** A task with a moment of its own may be due or not: the poll finds it. */
    private static boolean isDue(NewTask task) {
        return task.runAt() == null && task.delay().isZero();
    }
}
