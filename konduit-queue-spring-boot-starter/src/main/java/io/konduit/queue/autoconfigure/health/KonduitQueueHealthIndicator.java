package io.konduit.queue.autoconfigure.health;

import io.konduit.queue.event.DatabaseWentBack;
import io.konduit.queue.leader.LeadershipState;
import io.konduit.queue.recovery.ReaperChore;
import io.konduit.queue.review.StatisticsRepository;
import io.konduit.queue.review.StatisticsRepository.Recovery;
import io.konduit.queue.settings.ChoreSettings;
import io.konduit.queue.settings.DurationText;
import io.konduit.queue.worker.HangingRun;
import io.konduit.queue.worker.LoopState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.dao.DataAccessException;

/**
 * O5: one cheap statement on the control path, which also measures its round trip. DOWN when the database does not
 * answer, when a loop of this instance's worker has ended or is stuck, when the reaper has not succeeded anywhere for
 * too long, or when the lease of a lost worker was not reclaimed for too long. Backlog older than this instance is aged
 * from its start-up.
 */
final class KonduitQueueHealthIndicator implements HealthIndicator {
    private static final Duration SLACK = Duration.ofSeconds(5);
    private static final int PATIENCE_IN_INTERVALS = 3;
    private static final double SCHEDULE_BOUND_SECONDS = 60;
    private static final String OFF = "off";

    private final StatisticsRepository statistics;
    private final Settings settings;
    private final Supplier<@Nullable LeadershipState> leadership;
    private final Supplier<List<LoopState>> loops;
    private final Supplier<@Nullable DatabaseWentBack> loss;
    private Supplier<@Nullable String> drainedBy = () -> null;
    private Supplier<List<HangingRun>> hanging = List::of;
    private Supplier<@Nullable Map<String, Object>> crashDetection = () -> null;
    private Supplier<@Nullable Map<String, Object>> history = () -> null;
    private final LongSupplier nanoTime;
    private final long startedNanos;

    /**
     * The settings that the limits derive from, from {@code konduit.queue.*}.
     *
     * @param runsChores whether the reaper runs on this instance
     * @param runsTasks whether this instance is a worker, whose tasks need a reaper somewhere; one that only enqueues does
     *     not answer for it
     */
    record Settings(
            Duration reaperInterval,
            Duration reaperGrace,
            Duration heartbeatInterval,
            int zombieLimit,
            boolean runsChores,
            boolean runsTasks) {

        boolean judgesReaper() {
            return (runsChores || runsTasks) && !reaperInterval.isZero();
        }

        /** The longest acceptable time since the reaper's last success. */
        Duration reaperBound() {
            return reaperInterval.multipliedBy(PATIENCE_IN_INTERVALS).plus(SLACK);
        }

        /** The longest time that an expired lease may remain: the grace, two passes, the round after an outage. */
        Duration leaseBound() {
            Duration guardRound = heartbeatInterval.multipliedBy(6).dividedBy(5);
            return reaperGrace
                    .plus(reaperInterval.multipliedBy(2))
                    .plus(guardRound)
                    .plus(SLACK);
        }
    }

    KonduitQueueHealthIndicator(
            StatisticsRepository statistics,
            Settings settings,
            Supplier<@Nullable LeadershipState> leadership,
            Supplier<List<LoopState>> loops,
            Supplier<@Nullable DatabaseWentBack> loss,
            LongSupplier nanoTime) {
        this.statistics = statistics;
        this.settings = settings;
        this.leadership = leadership;
        this.loops = loops;
        this.loss = loss;
        this.nanoTime = nanoTime;
        this.startedNanos = nanoTime.getAsLong();
    }

    /** The operator who asked this instance's worker to drain, if any. */
    KonduitQueueHealthIndicator drainedBy(Supplier<@Nullable String> by) {
        drainedBy = by;
        return this;
    }

    /** How a crash of this instance's worker would be detected; null if it has no worker. */
    KonduitQueueHealthIndicator crashDetection(Supplier<@Nullable Map<String, Object>> detection) {
        crashDetection = detection;
        return this;
    }

    /** How the history is pruned; null if this instance runs no chores. */
    KonduitQueueHealthIndicator history(Supplier<@Nullable Map<String, Object>> retention) {
        history = retention;
        return this;
    }

    /** Runs on this instance that were asked to end and are still running. */
    KonduitQueueHealthIndicator hanging(Supplier<List<HangingRun>> runs) {
        hanging = runs;
        return this;
    }

    @Override
    public Health health() {
        Health.Builder health = Health.up();
        long sent = nanoTime.getAsLong();
        Recovery recovery;
        try {
            recovery = statistics.recovery(settings.zombieLimit(), ReaperChore.NAME);
        } catch (DataAccessException e) {
            describeHere(health);
            return health.down()
                    .withDetail(
                            "reason",
                            "The database did not answer on the control path within "
                                    + millisSince(sent) + " ms (" + e.getClass().getSimpleName()
                                    + "). Tasks are not claimed and leases are not extended until it does.")
                    .build();
        }
        health.withDetail("controlPathMillis", millisSince(sent));
        describeHere(health);
        Map<String, Object> retention = history.get();
        if (retention != null) {
            health.withDetail("history", retention);
        }
        List<String> reasons = new ArrayList<>();
        judgeLoops(health, reasons);
        judgeReaper(health, recovery, reasons);
        judgeLeases(health, recovery, reasons);
        judgeSchedules(health, recovery, reasons);
        health.withDetail("zombiesAboveLimit", recovery.zombiesAbove());
        if (!reasons.isEmpty()) {
            health.down().withDetail("reason", String.join(" ", reasons));
        }
        return health.build();
    }

    private void describeHere(Health.Builder health) {
        String reaper = settings.reaperInterval().isZero() ? OFF : "on";
        health.withDetail("reaper", settings.runsChores() ? reaper : "not on this instance");
        if (settings.reaperInterval().isZero()) {
            health.withDetail("reaperNote", ChoreSettings.WITHOUT_REAPER + ".");
        }
        List<HangingRun> hangs = hanging.get();
        if (!hangs.isEmpty()) {
            health.withDetail(
                    "hangingRuns",
                    hangs.stream()
                            .map(run -> run.task() + ": " + run.reason() + ", asked to end "
                                    + run.since().toSeconds() + " s ago")
                            .toList());
        }
        Map<String, Object> detection = crashDetection.get();
        if (detection != null) {
            health.withDetail("crashDetection", detection);
        }
        LeadershipState state = leadership.get();
        if (state != null) {
            health.withDetail("leadership", state.name());
        }
        String by = drainedBy.get();
        if (by != null) {
            health.withDetail("draining", "as " + by + " asked: it claims nothing until it is resumed");
        }
        DatabaseWentBack known = loss.get();
        if (known != null) {
            health.withDetail("lostCommits", describe(known));
        }
    }

    /** Not a reason to be DOWN: a restart would not help. It stays until this instance is restarted. */
    private static Map<String, Object> describe(DatabaseWentBack loss) {
        return Map.of(
                "noticedAt",
                loss.noticedAt().toString(),
                "timeline",
                loss.oldTimeline() + " to " + loss.newTimeline(),
                "atLeastSeconds",
                rounded(seconds(loss.atLeast())),
                "lostTasks",
                loss.lostTasks(),
                "pausedQueues",
                loss.pausedQueues(),
                "note",
                "The database has lost commits. Tasks of this instance are gone, and tasks that were completed may run again. "
                        + "The log names the tasks. Enqueue what is missing, resume paused queues, then restart this instance to clear this detail.");
    }

    private void judgeLoops(Health.Builder health, List<String> reasons) {
        List<LoopState> all = loops.get();
        List<LoopState> unwell = all.stream().filter(loop -> !loop.isWell()).toList();
        if (!all.isEmpty()) {
            health.withDetail("workerLoops", all.size() - unwell.size() + " of " + all.size());
        }
        for (LoopState loop : unwell) {
            Duration since = loop.sinceStep();
            reasons.add("The worker's thread '" + loop.name() + "' "
                    + (loop.alive() && since != null
                            ? "has not gone around for " + since.toSeconds() + " s. Look at its stack in a thread dump."
                            : "has ended.")
                    + " Restart this instance.");
        }
    }

    private void judgeReaper(Health.Builder health, Recovery recovery, List<String> reasons) {
        Double since = recovery.sinceReaperSeconds();
        if (since != null) {
            health.withDetail("secondsSinceLastPass", rounded(since));
        }
        if (!settings.judgesReaper()) {
            return;
        }
        Duration bound = settings.reaperBound();
        health.withDetail("reaperBoundSeconds", bound.toSeconds());
        if (judged(since == null ? Double.MAX_VALUE : since) > seconds(bound)) {
            String found = since == null ? "has never succeeded" : "last succeeded " + rounded(since) + " s ago";
            reasons.add("The reaper " + found + " on any instance; expected at most " + DurationText.of(bound)
                    + ". The tasks of crashed workers do not come back. Look for 'reaper' in the log of the leader.");
        }
    }

    private void judgeLeases(Health.Builder health, Recovery recovery, List<String> reasons) {
        Double oldest = recovery.oldestExpiredSeconds();
        health.withDetail("oldestExpiredLeaseSeconds", oldest == null ? 0.0 : rounded(oldest));
        if (!settings.judgesReaper()) {
            return;
        }
        Duration bound = settings.leaseBound();
        health.withDetail("oldestExpiredLeaseBoundSeconds", bound.toSeconds());
        if (oldest != null && judged(oldest) > seconds(bound)) {
            reasons.add("The oldest expired lease ended " + rounded(oldest) + " s ago and was not reclaimed; "
                    + "expected at most " + DurationText.of(bound)
                    + ". A transaction may hold the row: look for it in pg_stat_activity.");
        }
    }

    /** A schedule is late at most for a second, or five where the leader does nothing. */
    private void judgeSchedules(Health.Builder health, Recovery recovery, List<String> reasons) {
        Double late = recovery.schedulesLateSeconds();
        if (late == null) {
            return;
        }
        health.withDetail("schedulesLateSeconds", rounded(late));
        if ((settings.runsChores() || settings.runsTasks()) && judged(late) > SCHEDULE_BOUND_SECONDS) {
            reasons.add("A schedule is " + rounded(late) + " s late; expected at most " + (int) SCHEDULE_BOUND_SECONDS
                    + " s. No instance that runs the chores fires it. Look for 'schedule' in the log of the leader.");
        }
    }

    /** Backlog older than this instance is aged from its start-up. */
    private double judged(double seconds) {
        return Math.min(seconds, (nanoTime.getAsLong() - startedNanos) / 1e9);
    }

    private long millisSince(long sent) {
        return (nanoTime.getAsLong() - sent) / 1_000_000;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    private static double rounded(double seconds) {
        return Math.round(seconds * 10) / 10.0;
    }
}
