package io.konduit.queue.sample.database;

import org.jspecify.annotations.Nullable;

/** The sample's PostgreSQL cannot be used. The message says why, and what to do. */
class EmbeddedDatabaseException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    EmbeddedDatabaseException(String description, String action, @Nullable Throwable cause) {
        super(description, cause);
        this.action = action;
    }

    String action() {
        return action;
    }
}
