package io.konduit.queue.admin;

import io.konduit.queue.QueueNotFoundException;
import io.konduit.queue.TaskNames;
import io.konduit.queue.TaskStateException;
import io.konduit.queue.store.PauseRepository;
import io.konduit.queue.store.PauseRepository.Decision;
import io.konduit.queue.store.PauseRepository.PausedQueue;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses and resumes queues. The decision is a row in the database, so that it outlives every instance; each worker
 * sees it with its next claim. Tasks that run already run on.
 */
public final class QueueAdministration {
    private static final Logger log = LoggerFactory.getLogger(QueueAdministration.class);
    private static final String WHAT = "the queue";

    private final PauseRepository pauses;
    private final Consumer<Set<String>> wakeUp;

    public QueueAdministration(PauseRepository pauses, Consumer<Set<String>> wakeUp) {
        this.pauses = pauses;
        this.wakeUp = wakeUp;
    }

    /** The queues that are paused, by name. */
    public List<PausedQueue> paused() {
        return pauses.paused(Pages.MOST_ROWS);
    }

    /** Who paused and resumed queues, newest first. */
    public List<Decision> decisions(int most) {
        return pauses.decisions(Long.MAX_VALUE, Pages.require(most));
    }

    /** No worker claims a task of this queue any more. */
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

    /** Workers claim tasks of this queue again. */
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
        TaskNames.requireQueue(queue, WHAT);
        AuditText.requireActor(actor);
        AuditText.requireNote(note);
    }
}
