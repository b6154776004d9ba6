package io.konduit.queue;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Schedules that are made at run time, and what operators do to any schedule. Every method joins the caller's transaction
 * on the queue's data source.
 */
public interface Schedules {
    /**
     * Makes a schedule, or replaces the one with its name. Times that the old and the new one share are not lost: unless
     * the expression, zone or interval changes, the next time stays what it was.
     *
     * @throws InvalidScheduleException if the expression does not parse or never fires, the zone is unknown, the interval
     *     is under a second, no handler of this worker takes the task, or the name belongs to a {@link Recurring} method
     * @throws InvalidPayloadException if the payload cannot be stored as JSON
     */
    void put(Schedule schedule);

    /**
     * Removes a schedule. Its tasks stay. One that is {@link Recurring declared} comes back with the next start.
     *
     * @return false if there is none
     */
    boolean remove(String name);

    Optional<ScheduleInfo> find(String name);

    /**
     * Schedules by name.
     *
     * @param after the last name of the page before; null for the first page
     * @param limit 1 to 1 000
     */
    List<ScheduleInfo> list(@Nullable String after, int limit);

    /**
     * What a schedule did at its last nominal times, newest first. Kept for {@code konduit.queue.retention.firings}.
     *
     * @param limit 1 to 1 000
     */
    List<ScheduleFiring> firings(String name, int limit);

    /**
     * The schedule does not fire until an operator resumes it, whatever is deployed meanwhile.
     *
     * @throws ScheduleNotFoundException if there is none
     * @throws ScheduleStateException if an operator has paused it already
     */
    void pause(String name, String actor, @Nullable String note);

    /**
     * The schedule fires again from its next time on. Times that passed while it was paused are not made up. One that no
     * live worker declares any more then counts as put at run time.
     *
     * @throws ScheduleNotFoundException if there is none
     * @throws ScheduleStateException if it is not paused
     */
    void resume(String name, String actor, @Nullable String note);

    /**
     * Makes a task now, also while the schedule is paused. Its next time stays.
     *
     * @throws ScheduleNotFoundException if there is none
     * @throws ScheduleStateException if the previous task is not finished, with {@link Overlap#SKIP}
     */
    TaskId runNow(String name, String actor, @Nullable String note);
}
