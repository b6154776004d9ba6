package io.konduit.queue.engine;

import org.jspecify.annotations.Nullable;

/** Parts that are provided from outside. Every part that needs a replaced part gets the replacement. */
public interface Replacements {
    /** The queue creates all parts itself. */
    Replacements NONE = new Replacements() {
        @Override
        public <T> @Nullable T find(Class<T> part) {
            return null;
        }
    };

    /** The replacement of a part, or null if the queue should create it. */
    <T> @Nullable T find(Class<T> part);
}
