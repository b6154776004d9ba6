package io.konduit.queue.admin;

import org.jspecify.annotations.Nullable;

/**
 * What a task works on and how far it is, as JSON.
 *
 * @param payload null when it is too large
 * @param checkpoint null when there is none or it is too large
 * @param tooLarge whether one of them was left out
 */
public record TaskContent(
        @Nullable String payload, @Nullable String checkpoint, boolean tooLarge) {

    /** Neither is for logs. */
    @Override
    public String toString() {
        return "TaskContent[tooLarge=" + tooLarge + "]";
    }
}
