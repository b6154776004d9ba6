package io.konduit.queue.review;

import io.konduit.queue.TaskId;
import io.konduit.queue.admin.TaskContent;
import org.jspecify.annotations.Nullable;

/** A row of {@code read-contents.sql}. */
record ContentRow(
        TaskId id,
        @Nullable Integer payloadSize,
        @Nullable Integer checkpointSize,
        @Nullable String payload,
        @Nullable String checkpoint) {

    TaskContent toContent(int maxBytes) {
        return new TaskContent(payload, checkpoint, isOver(payloadSize, maxBytes) || isOver(checkpointSize, maxBytes));
    }

    private static boolean isOver(@Nullable Integer size, int maxBytes) {
        return size != null && size > maxBytes;
    }
}
