package io.konduit.queue.admin;

import org.jspecify.annotations.Nullable;

/**
 * The payload and checkpoint of a task, as JSON.
 *
 * @param payload null when it is too large
 * @param checkpoint null when there is none or it is too large
 * @param tooLarge whether one of them was left out
 */
public record TaskContent(
        @Nullable String payload, @Nullable String checkpoint, boolean tooLarge) {

    /** Neither may be logged. */
    @Override
    public String toString() {
        return "TaskContent[tooLarge=" + tooLarge + "]";
    }
}
