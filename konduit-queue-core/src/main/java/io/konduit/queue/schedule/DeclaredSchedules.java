package io.konduit.queue.schedule;

import io.konduit.queue.InvalidScheduleException;
import io.konduit.queue.Schedule;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.handler.DeclaredRecurrence;
import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.store.NewSchedule;
import io.konduit.queue.store.ScheduleRepository;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** P6: the schedules that this application's handlers declare. The declaration of the instance that started last wins. */
public final class DeclaredSchedules {
    /** Where an expression starts to be looked at, to see whether it ever fires: any time will do. */
    private static final Instant ANY_TIME = Instant.parse("2020-01-01T00:00:00Z");

    private static final Logger log = LoggerFactory.getLogger(DeclaredSchedules.class);

    private final JobHandlerRegistry handlers;
    private final Supplier<ScheduleChecker> checker;
    private final ScheduleRepository schedules;

    public DeclaredSchedules(
            JobHandlerRegistry handlers, Supplier<ScheduleChecker> checker, ScheduleRepository schedules) {
        this.handlers = handlers;
        this.checker = checker;
        this.schedules = schedules;
    }

    /** P10: throws an {@link InvalidScheduleException} if one of them is wrong. Asks no database. */
    public void check() {
        all(ANY_TIME);
    }

    /** Their names, for the worker's heartbeat. */
    public List<String> names() {
        return handlers.all().stream()
                .map(JobHandlerMethod::recurrence)
                .filter(Objects::nonNull)
                .map(DeclaredRecurrence::name)
                .sorted()
                .toList();
    }

    boolean isEmpty() {
        return names().isEmpty();
    }

    /** Stores them. A crash in between is made up for by the next start. */
    void declare() {
        if (isEmpty()) {
            return;
        }
        List<NewSchedule> all = all(schedules.controlNow());
        all.forEach(schedules::declare);
        List<String> inZoneOfJvm = handlers.all().stream()
                .map(JobHandlerMethod::recurrence)
                .filter(Objects::nonNull)
                .filter(each -> each.cron() != null && each.zone() == null)
                .map(DeclaredRecurrence::name)
                .sorted()
                .toList();
        log.info(
                "Declared the schedules {}", all.stream().map(NewSchedule::name).toList());
        if (!inZoneOfJvm.isEmpty()) {
            log.info(
                    "Schedules {} name no time zone and follow that of the JVM, {}",
                    inZoneOfJvm,
                    ZoneId.systemDefault());
        }
    }

    private List<NewSchedule> all(Instant now) {
        Map<String, JobHandlerMethod> byName = new TreeMap<>();
        return handlers.all().stream()
                .filter(handler -> handler.recurrence() != null)
                .map(handler -> {
                    DeclaredRecurrence declared = Objects.requireNonNull(handler.recurrence());
                    JobHandlerMethod first = byName.putIfAbsent(declared.name(), handler);
                    if (first != null) {
                        throw new InvalidScheduleException("Schedule '" + declared.name() + "' is declared twice: "
                                + first.location() + " and " + handler.location() + ". Give one of them another name.");
                    }
                    return row(handler, declared, now);
                })
                .toList();
    }

    private NewSchedule row(JobHandlerMethod handler, DeclaredRecurrence declared, Instant now) {
        Schedule schedule = Schedule.of(declared.name(), TaskRequest.of(handler.type(), null))
                .catchUp(declared.catchUp())
                .overlap(declared.overlap());
        if (declared.every() != null) {
            schedule = schedule.every(declared.every());
        }
        if (declared.cron() != null) {
            schedule = declared.every() == null ? schedule.cron(declared.cron()) : both(handler);
        }
        if (declared.zone() != null) {
            schedule = schedule.zone(declared.zone());
        }
        try {
            return checker.get().check(schedule, true, now);
        } catch (InvalidScheduleException e) {
            throw new InvalidScheduleException("@Recurring on " + handler.location() + ": " + e.getMessage(), e);
        }
    }

    private static Schedule both(JobHandlerMethod handler) {
        throw new InvalidScheduleException("@Recurring on " + handler.location()
                + " has both a cron expression and an interval. Set one of 'cron' and 'every'.");
    }
}
