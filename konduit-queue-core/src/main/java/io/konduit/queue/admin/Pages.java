package io.konduit.queue.admin;

import io.konduit.queue.InvalidTaskException;

/** How much may be asked for at once. */
final class Pages {
    static final int MOST_ROWS = 1_000;

    private Pages() {}

    static int require(int most) {
        if (most < 1 || most > MOST_ROWS) {
            throw new InvalidTaskException("Expected a page of 1 to " + MOST_ROWS + " rows, but found " + most + ".");
        }
        return most;
    }
}
