package io.konduit.queue.operations;

import io.konduit.queue.admin.InvalidRequestException;

/** The limits for page sizes. */
public final class PageLimit {
    static final int MAX_ROWS = 1_000;

    private PageLimit() {}

    public static int require(int limit) {
        if (limit < 1 || limit > MAX_ROWS) {
            throw new InvalidRequestException(
                    "Expected a page of 1 to " + MAX_ROWS + " rows, but found " + limit + ".");
        }
        return limit;
    }
}
