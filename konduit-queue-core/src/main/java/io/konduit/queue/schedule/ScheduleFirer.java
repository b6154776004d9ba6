package io.konduit.queue.schedule;

import io.konduit.queue.InvalidScheduleException;
import io.konduit.queue.ScheduleFiring.Outcome;
import io.konduit.queue.enqueue.EnqueueMonitor;
import io.konduit.queue.store.DueSchedule;
import io.konduit.queue.store.PlannedFiring;
import io.konduit.queue.store.PlannedFiring.Time;
import io.konduit.queue.store.ScheduleRepository;
import io.konduit.queue.store.ScheduleRepository.Recorded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires schedules that are due.
 *
 * <ol>
 *   <li>Reads a batch of them, longest due first. Nothing has changed yet if the node dies.
 *   <li>Computes in memory which of their times fire, and their next times.
 *   <li>Sends one statement that makes the tasks, records the nominal times and moves the next times. It leaves out every
 *       schedule that has changed since it was read. If the node dies, either all of it or nothing has happened. No lock
 *       is held between two statements, so a frozen node keeps nobody waiting.
 *   <li>Wakes workers. If the node dies before that, they find the tasks with their next poll.
 * </ol>
 *
 * Any number of instances may do this at once: each nominal time is recorded once.
 */
public final class ScheduleFirer {
    /** How many schedules one statement fires. */
    static final int BATCH = 100;

    private static final int LARGEST_PORTION = 1_000;

    private static final Logger log = LoggerFactory.getLogger(ScheduleFirer.class);

    private final ScheduleRepository schedules;
    private final FiringPlanner planner;
    private final String actor;
    private final ScheduleMonitor monitor;
    private final EnqueueMonitor enqueued;
    private final Consumer<Set<String>> wakeUp;

    /**
     * @param actor recorded where this instance pauses a schedule
     * @param wakeUp receives the queues that have new tasks
     */
    public ScheduleFirer(
            ScheduleRepository schedules,
            int maxCatchUp,
            String actor,
            ScheduleMonitor monitor,
            EnqueueMonitor enqueued,
            Consumer<Set<String>> wakeUp) {
        this.schedules = schedules;
        this.planner = new FiringPlanner(maxCatchUp);
        this.actor = actor;
        this.monitor = monitor;
        this.enqueued = enqueued;
        this.wakeUp = wakeUp;
    }

    /** One batch; returns how many schedules were moved on. */
    public int fireOnce() {
        List<DueSchedule> due = schedules.findDue(BATCH);
        int moved = 0;
        List<PlannedFiring> plans = new ArrayList<>();
        for (DueSchedule schedule : due) {
            try {
                plans.add(planner.plan(schedule));
            } catch (InvalidScheduleException e) {
                moved += pause(schedule, e) ? 1 : 0;
            }
        }
        for (List<PlannedFiring> portion : portions(plans)) {
            moved += fire(portion);
        }
        return moved;
    }

    /** After an outage a schedule may catch up a thousand times: a statement makes a bounded number of tasks. */
    private static List<List<PlannedFiring>> portions(List<PlannedFiring> plans) {
        List<List<PlannedFiring>> portions = new ArrayList<>();
        int times = LARGEST_PORTION;
        for (PlannedFiring plan : plans) {
            if (times + plan.times().size() > LARGEST_PORTION) {
                portions.add(new ArrayList<>());
                times = 0;
            }
            portions.get(portions.size() - 1).add(plan);
            times += plan.times().size();
        }
        return portions;
    }

    private boolean pause(DueSchedule schedule, InvalidScheduleException why) {
        String reason = String.valueOf(why.getMessage());
        boolean paused = schedules.pauseInvalid(schedule, actor, reason);
        if (paused) {
            log.error(
                    "Schedule '{}' was paused, because this instance cannot compute its times: {} Correct and declare or put it again",
                    schedule.name(),
                    reason);
        }
        return paused;
    }

    private int fire(List<PlannedFiring> plans) {
        List<Recorded> recorded = schedules.fire(plans);
        Map<String, Set<Object>> done = new HashMap<>();
        for (Recorded each : recorded) {
            Set<Object> times = done.computeIfAbsent(each.name(), name -> new HashSet<>());
            if (each.nominalAt() != null) {
                times.add(each.nominalAt());
            }
        }
        Set<String> queues = new HashSet<>();
        for (PlannedFiring plan : plans) {
            Set<Object> times = done.getOrDefault(plan.schedule().name(), Set.of());
            plan.times().stream()
                    .filter(time -> times.contains(time.nominalAt()))
                    .forEach(time -> tell(plan.schedule(), time, queues));
        }
        if (!queues.isEmpty()) {
            wakeUp.accept(queues);
        }
        return done.size();
    }

    private void tell(DueSchedule schedule, Time time, Set<String> queues) {
        long dropped = time.dropped() + (time.outcome() == Outcome.DROPPED ? 1 : 0);
        if (dropped > 0) {
            monitor.dropped(schedule.queue(), schedule.type(), dropped);
            log.warn(
                    "Schedule '{}' has missed {}{} times up to {} and does not make them up ({})",
                    schedule.name(),
                    time.dropped() >= DueTimes.MOST_COUNTED ? "at least " : "",
                    dropped,
                    time.nominalAt(),
                    schedule.catchUp());
        }
        if (time.outcome() == Outcome.FIRED) {
            queues.add(schedule.queue());
            enqueued.enqueued(schedule.queue(), schedule.type(), 1);
            monitor.fired(schedule.queue(), schedule.type(), Duration.between(time.nominalAt(), schedule.now()));
            log.debug("Schedule '{}' fired for {}", schedule.name(), time.nominalAt());
        } else if (time.outcome() == Outcome.SKIPPED) {
            monitor.skipped(schedule.queue(), schedule.type());
            log.info(
                    "Schedule '{}' skipped {}: its previous task {} is not finished",
                    schedule.name(),
                    time.nominalAt(),
                    schedule.unfinished());
        }
    }
}
