package io.konduit.queue.operations;

import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.settings.TaskNames;
import io.konduit.queue.store.Start;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/** Rules that requests of applications and of operators share. Here a violation is a bad request. */
final class SharedRules {
    private SharedRules() {}

    static String requireQueue(String queue, String what) {
        return check(() -> TaskNames.requireQueue(queue, what));
    }

    static String requireType(String type, String what) {
        return check(() -> TaskNames.requireType(type, what));
    }

    static Start startAt(Instant runAt) {
        return check(() -> Start.at(runAt));
    }

    static Start startAfter(Duration delay) {
        return check(() -> Start.after(delay));
    }

    private static <T> T check(Supplier<T> rule) {
        try {
            return rule.get();
        } catch (InvalidTaskException e) {
            throw new InvalidRequestException(String.valueOf(e.getMessage()), e);
        }
    }
}
