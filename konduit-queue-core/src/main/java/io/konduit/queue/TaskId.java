package io.konduit.queue;

/** The identity of a task. */
public record TaskId(long value) implements Comparable<TaskId> {

    public static TaskId of(long value) {
        return new TaskId(value);
    }

    @Override
    public int compareTo(TaskId other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
