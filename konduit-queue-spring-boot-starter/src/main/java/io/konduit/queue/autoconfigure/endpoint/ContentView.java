package io.konduit.queue.autoconfigure.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * A task's payload and checkpoint, for callers with access to them.
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

    /** Neither may be logged. */
    @Override
    public String toString() {
        return "ContentView[note=" + note + "]";
    }
}
