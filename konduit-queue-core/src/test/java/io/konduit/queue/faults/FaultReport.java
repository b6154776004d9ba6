package io.konduit.queue.faults;

import io.konduit.queue.TaskId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * What the oracle lines, the effects and the tables say together after a fault.
 *
 * @param attempted tasks that producers tried to enqueue
 * @param acknowledged those of which they were told that they are enqueued
 * @param lost acknowledged, and neither finished nor held
 * @param duplicateRuns runs beyond the first of a task
 * @param duplicateEffects rows of handlers beyond the first of a task
 * @param duplicateExactEffects the same for transactional handlers
 * @param recovered times that a task was taken from a worker
 * @param staleAccepted effects that a run wrote after its lease was taken, and completions by such a lease
 * @param longestRecovery from the fault to the next run of a task that was under way
 */
record FaultReport(
        String fault,
        int attempted,
        int acknowledged,
        long lost,
        long duplicateRuns,
        long duplicateEffects,
        long duplicateExactEffects,
        long recovered,
        long staleAccepted,
        Duration longestRecovery) {

    /** A task that was under way when something happened to its worker. */
    record Interrupted(long task, long millis) {}

    static FaultReport of(
            String fault,
            DataSource dataSource,
            int attempted,
            Collection<TaskId> acknowledged,
            Collection<Interrupted> interrupted,
            List<WorkerJvm> workers) {
        JdbcClient jdbc = JdbcClient.create(dataSource);
        List<Long> settled = jdbc.sql("select id from konduit_tasks where status in ('COMPLETED', 'HELD')")
                .query(Long.class)
                .list();
        List<Oracle.Line> starts = new ArrayList<>();
        workers.forEach(worker -> worker.said("start").forEach(starts::add));
        Map<Long, List<Oracle.Line>> startsOf = starts.stream().collect(Collectors.groupingBy(Oracle.Line::task));
        Duration longest = interrupted.stream()
                .map(one -> startsOf.getOrDefault(one.task(), List.of()).stream()
                        .mapToLong(Oracle.Line::millis)
                        .filter(millis -> millis > one.millis())
                        .min()
                        .stream()
                        .mapToObj(next -> Duration.ofMillis(next - one.millis()))
                        .findAny()
                        .orElse(Duration.ZERO))
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        return new FaultReport(
                fault,
                attempted,
                acknowledged.size(),
                acknowledged.stream()
                        .filter(id -> !settled.contains(id.value()))
                        .count(),
                starts.size() - startsOf.size(),
                count(jdbc, "select count(*) - count(distinct task_id) from effects"),
                count(jdbc, "select count(*) - count(distinct task_id) from effects where type = 'exact'"),
                count(jdbc, "select count(*) from konduit_task_incident where action in ('RECLAIMED', 'HELD')"),
                count(
                                jdbc,
                                "select count(*) from effects e join konduit_task_incident i"
                                        + " on i.task_id = e.task_id and i.lease_epoch = e.epoch where e.at > i.detected_at")
                        + count(
                                jdbc,
                                "select count(*) from konduit_task_history h join konduit_task_incident i"
                                        + " on i.task_id = h.id and i.lease_epoch = h.lease_epoch where h.status = 'COMPLETED'"),
                longest);
    }

    private static long count(JdbcClient jdbc, String sql) {
        return jdbc.sql(sql).query(Long.class).single();
    }

    @Override
    public String toString() {
        return ("%s: attempted %d, acknowledged %d, lost %d, duplicated %d runs and %d effects (%d of transactional handlers),"
                        + " recovered %d, stale accepted %d, longest recovery %d ms")
                .formatted(
                        fault,
                        attempted,
                        acknowledged,
                        lost,
                        duplicateRuns,
                        duplicateEffects,
                        duplicateExactEffects,
                        recovered,
                        staleAccepted,
                        longestRecovery.toMillis());
    }
}
