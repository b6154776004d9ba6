package io.konduit.queue.admin;

import io.konduit.queue.Task;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of tasks.
 *
 * @param examined how many rows were read
 * @param next where the next page starts; null when there is none
 */
public record TaskPage(
        List<Task> tasks, int examined, @Nullable Cursor next) {}
