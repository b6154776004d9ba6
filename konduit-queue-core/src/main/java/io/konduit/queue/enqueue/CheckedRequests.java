package io.konduit.queue.enqueue;

import io.konduit.queue.TaskRequest;
import io.konduit.queue.insert.NewTask;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Requests as rows, each checked on first access: a bulk is checked while its first rows are being sent. */
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
