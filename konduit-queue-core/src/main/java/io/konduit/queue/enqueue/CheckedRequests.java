package io.konduit.queue.enqueue;

import io.konduit.queue.TaskRequest;
import io.konduit.queue.store.NewTask;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Requests as rows, each checked when it is first asked for: a bulk is checked while its first rows are on their way. */
final class CheckedRequests extends AbstractList<NewTask> implements RandomAccess {
    private final List<TaskRequest> requests;
    private final Function<TaskRequest, NewTask> check;
    private final @Nullable NewTask[] checked;

    CheckedRequests(List<TaskRequest> requests, Function<TaskRequest, NewTask> check) {
        this.requests = requests;
        this.check = check;
        this.checked = new NewTask[requests.size()];
    }

    @Override
    public NewTask get(int index) {
        NewTask task = checked[index];
        if (task == null) {
            task = check.apply(requests.get(index));
            checked[index] = task;
        }
        return task;
    }

    @Override
    public int size() {
        return checked.length;
    }
}
