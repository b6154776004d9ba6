package io.konduit.queue.schedule;

import io.konduit.queue.CatchUp;
import io.konduit.queue.InvalidScheduleException;
import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.Overlap;
import io.konduit.queue.Schedule;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.enqueue.RequestChecker;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.insert.NewTask;
import io.konduit.queue.settings.TaskNames;
import io.konduit.queue.store.NewSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** P10: turns a schedule into a row, or reports what is wrong with it. */
public final class ScheduleChecker {
    private final RequestChecker requests;
    private final JobHandlerRegistry handlers;
    private final boolean runsTasks;

    /** @param runsTasks whether this instance is a worker: then it must have the handlers of its schedules */
    public ScheduleChecker(RequestChecker requests, JobHandlerRegistry handlers, boolean runsTasks) {
        this.requests = requests;
        this.handlers = handlers;
        this.runsTasks = runsTasks;
    }

    /** @param now the database's time */
    NewSchedule check(Schedule schedule, boolean declared, Instant now) {
        String what = "schedule '" + schedule.name() + "'";
        try {
            TaskNames.requireSchedule(schedule.name(), "the name of a schedule");
        } catch (InvalidTaskException e) {
            throw new InvalidScheduleException(String.valueOf(e.getMessage()), e);
        }
        if (schedule.catchUp() == CatchUp.ALL && schedule.overlap() == Overlap.SKIP) {
            throw new InvalidScheduleException(
                    "Expected " + what
                            + " with catch-up ALL to have overlap ALLOW, but it has SKIP: all missed times but the first would be skipped. Set overlap ALLOW, or catch-up LATEST.");
        }
        String zone = schedule.cron() == null ? null : zone(schedule.zone());
        Duration every = schedule.every();
        Recurrence recurrence = Recurrence.of(schedule.cron(), zone, every, what);
        Instant next = recurrence.after(now.truncatedTo(ChronoUnit.MILLIS));
        if (next == null) {
            throw new InvalidScheduleException("The cron expression '" + schedule.cron() + "' of " + what
                    + " never fires. Expected a date that exists.");
        }
        NewSchedule.Template task = task(schedule.task(), what);
        return new NewSchedule(
                schedule.name(),
                schedule.cron() == null ? null : schedule.cron().strip(),
                zone,
                every == null ? null : Duration.ofMillis(every.toMillis()),
                schedule.catchUp(),
                schedule.overlap(),
                declared,
                task,
                next);
    }

    private static String zone(@Nullable String named) {
        return named == null ? ZoneId.systemDefault().getId() : named;
    }

    private NewSchedule.Template task(TaskRequest request, String what) {
        if (request.runAt() != null || request.delay() != null || request.uniqueKey() != null) {
            throw new InvalidScheduleException(
                    "Expected the task of " + what
                            + " to have neither start time, delay nor unique key: the schedule decides when it starts. Remove it.");
        }
        if (runsTasks && handlers.find(request.type()).isEmpty()) {
            throw new InvalidScheduleException(
                    "No handler of this worker takes the tasks of " + what + ": their type is '"
                            + request.type() + "', known are " + handlers.types()
                            + ". Correct the type, or put the schedule from the application that has the handler.");
        }
        NewTask checked = requests.check(request, null);
        return new NewSchedule.Template(
                checked.type(),
                checked.queue(),
                checked.payload(),
                checked.priority(),
                checked.maxAttempts(),
                checked.reapable(),
                checked.lockTimeout(),
                checked.timeout());
    }
}
