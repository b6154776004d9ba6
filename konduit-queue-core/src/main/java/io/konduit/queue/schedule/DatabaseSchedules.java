package io.konduit.queue.schedule;

import io.konduit.queue.InvalidScheduleException;
import io.konduit.queue.Schedule;
import io.konduit.queue.ScheduleFiring;
import io.konduit.queue.ScheduleInfo;
import io.konduit.queue.ScheduleInfo.PauseReason;
import io.konduit.queue.ScheduleNotFoundException;
import io.konduit.queue.ScheduleStateException;
import io.konduit.queue.Schedules;
import io.konduit.queue.TaskId;
import io.konduit.queue.enqueue.AfterCommit;
import io.konduit.queue.operations.AuditText;
import io.konduit.queue.operations.PageLimit;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.ControlMessages;
import io.konduit.queue.store.ScheduleRepository;
import io.konduit.queue.store.ScheduleRepository.RunByHand;
import io.konduit.queue.store.StoredSchedule;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@link Schedules} on the database. */
public final class DatabaseSchedules implements Schedules {
    private static final int TRIES = 10;

    private static final Logger log = LoggerFactory.getLogger(DatabaseSchedules.class);

    private final ScheduleRepository schedules;
    private final ScheduleChecker checker;
    private final ControlMessages messages;
    private final AfterCommit afterCommit;

    public DatabaseSchedules(
            ScheduleRepository schedules, ScheduleChecker checker, ControlMessages messages, AfterCommit afterCommit) {
        this.schedules = schedules;
        this.checker = checker;
        this.messages = messages;
        this.afterCommit = afterCommit;
    }

    @Override
    public void put(Schedule schedule) {
        if (!schedules.put(checker.check(schedule, false, schedules.now()))) {
            throw new InvalidScheduleException(
                    "Schedule '" + schedule.name()
                            + "' is declared by @Recurring, and the next start would declare it again. Change the annotation, or choose another name.");
        }
        changed();
    }

    @Override
    public boolean remove(String name) {
        return schedules.remove(name);
    }

    @Override
    public Optional<ScheduleInfo> find(String name) {
        return schedules.find(name).map(StoredSchedule::info);
    }

    @Override
    public List<ScheduleInfo> list(@Nullable String after, int limit) {
        return schedules.list(after == null ? "" : after, PageLimit.require(limit));
    }

    @Override
    public List<ScheduleFiring> firings(String name, int limit) {
        return schedules.firings(name, PageLimit.require(limit));
    }

    @Override
    public void pause(String name, String actor, @Nullable String note) {
        AuditText.require(actor, note);
        if (!schedules.pause(name, new Author(actor, note))) {
            requireFound(name);
            throw new ScheduleStateException("Schedule '" + name
                    + "' cannot be paused: expected it to be active, but an operator has paused it already.");
        }
        log.info("Schedule '{}' was paused by {}", name, actor);
    }

    @Override
    public void resume(String name, String actor, @Nullable String note) {
        AuditText.require(actor, note);
        for (int i = 0; i < TRIES; i++) {
            StoredSchedule read = requireFound(name);
            if (read.info().paused() == null) {
                throw new ScheduleStateException(
                        "Schedule '" + name + "' cannot be resumed: expected it to be paused, but it is not.");
            }
            if (schedules.resume(read, nextOf(read), new Author(actor, note))) {
                changed();
                log.info("Schedule '{}' was resumed by {}", name, actor);
                return;
            }
        }
        throw busy(name);
    }

    /** What passed while an operator had it paused was not wanted; what the queue paused is caught up. */
    private static Instant nextOf(StoredSchedule read) {
        ScheduleInfo info = read.info();
        String what = "schedule '" + info.name() + "'";
        Recurrence recurrence = Recurrence.of(info.cron(), info.zone(), info.every(), what);
        Instant nextAt = info.nextAt();
        boolean wanted = info.paused() != null && info.paused().reason() != PauseReason.OPERATOR;
        if (wanted || nextAt.isAfter(read.now())) {
            return nextAt;
        }
        Instant next = recurrence.after(nextAt, read.now());
        if (next == null) {
            throw new InvalidScheduleException("The cron expression of " + what + " never fires again.");
        }
        return next;
    }

    @Override
    public TaskId runNow(String name, String actor, @Nullable String note) {
        AuditText.require(actor, note);
        return schedules.inTransaction(() -> {
            for (int i = 0; i < TRIES; i++) {
                ScheduleInfo info = schedules
                        .lock(name)
                        .orElseThrow(() -> new ScheduleNotFoundException(name))
                        .info();
                RunByHand run = schedules.runNow(name, new Author(actor, note));
                if (!run.allowed()) {
                    throw new ScheduleStateException("Schedule '" + name + "' cannot run now: its previous task "
                            + info.lastTask()
                            + " is not finished, and its overlap is SKIP. Wait for that task, or cancel it.");
                }
                if (run.task() != null) {
                    afterCommit.due(info.queue());
                    log.info("Schedule '{}' was run by {} as task {}", name, actor, run.task());
                    return run.task();
                }
            }
            throw busy(name);
        });
    }

    private void changed() {
        messages.sendAfterCommit(ControlMessage.schedulesChanged());
    }

    private StoredSchedule requireFound(String name) {
        return schedules.find(name).orElseThrow(() -> new ScheduleNotFoundException(name));
    }

    private static ScheduleStateException busy(String name) {
        return new ScheduleStateException(
                "Schedule '" + name + "' changed " + TRIES + " times while it was to be changed. Try again.");
    }
}
