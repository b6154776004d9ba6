package io.konduit.queue.autoconfigure.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * What a task works on and how far it is, for callers who may see it.
 *
 * @param note why something is not shown
 */
record ContentView(
        @Nullable Object payload,
        @Nullable Object checkpoint,
        @Nullable String note) {

    static ContentView hidden(String note) {
        return new ContentView(null, null, note);
    }

    /** Neither is for logs. */
    @Override
    public String toString() {
        return "ContentView[note=" + note + "]";
    }
}
