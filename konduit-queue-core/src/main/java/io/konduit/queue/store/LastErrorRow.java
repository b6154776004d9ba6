package io.konduit.queue.store;

import io.konduit.queue.TaskError;
import io.konduit.queue.TaskId;
import org.springframework.data.relational.core.mapping.Embedded;

/** A row of {@code find-last-errors.sql}. */
record LastErrorRow(TaskId taskId, @Embedded.Empty TaskError error) {}
