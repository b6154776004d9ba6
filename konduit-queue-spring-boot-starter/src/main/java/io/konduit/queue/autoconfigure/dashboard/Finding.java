package io.konduit.queue.autoconfigure.dashboard;

import org.jspecify.annotations.Nullable;

/**
 * Something that a person should know.
 *
 * @param text one sentence
 * @param action what to do about it; null when nothing needs to be done
 * @param link the page to do it on; null for none
 */
record Finding(
        Level level,
        String text,
        @Nullable String action,
        @Nullable String link) {

    /** From the worst. */
    enum Level {
        /** Tasks do not run, or a crash would not be noticed. */
        BAD,
        /** A person's decision is needed. */
        ACT,
        /** Worth knowing. */
        NOTE,
        GOOD
    }
}
