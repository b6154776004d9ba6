package io.konduit.queue.operations;

import io.konduit.queue.admin.QueueAdministration;
import io.konduit.queue.admin.QueueNotFoundException;
import io.konduit.queue.admin.TaskStateException;
import io.konduit.queue.review.PauseRepository;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@link QueueAdministration} on the database. */
public final class DatabaseQueueAdministration implements QueueAdministration {
    private static final Logger log = LoggerFactory.getLogger(DatabaseQueueAdministration.class);
    private static final String WHAT = "the queue";

    private final PauseRepository pauses;
    private final Consumer<Set<String>> wakeUp;

    public DatabaseQueueAdministration(PauseRepository pauses, Consumer<Set<String>> wakeUp) {
        this.pauses = pauses;
        this.wakeUp = wakeUp;
    }

    @Override
    public void pause(String queue, String actor, @Nullable String note) {
        check(queue, actor, note);
        if (!pauses.isKnown(queue)) {
            throw new QueueNotFoundException(queue);
        }
        if (!pauses.pause(queue, actor, note)) {
            throw new TaskStateException(
                    "Queue '" + queue + "' cannot be paused: expected it to be active, but it is paused already.");
        }
        log.info("Queue '{}' was paused by {}", queue, actor);
    }

    @Override
    public void resume(String queue, String actor, @Nullable String note) {
        check(queue, actor, note);
        if (!pauses.resume(queue, actor, note)) {
            if (!pauses.isKnown(queue)) {
                throw new QueueNotFoundException(queue);
            }
            throw new TaskStateException(
                    "Queue '" + queue + "' cannot be resumed: expected it to be paused, but it is not.");
        }
        log.info("Queue '{}' was resumed by {}", queue, actor);
        wakeUp.accept(Set.of(queue));
    }

    private static void check(String queue, String actor, @Nullable String note) {
        SharedRules.requireQueue(queue, WHAT);
        AuditText.require(actor, note);
    }
}
