package io.konduit.queue.review;

import io.konduit.queue.admin.AuditEntry;
import io.konduit.queue.admin.Incident;
import io.konduit.queue.admin.IncidentCount;
import io.konduit.queue.admin.IncidentDay;
import io.konduit.queue.admin.Orphan;
import io.konduit.queue.admin.PausedQueue;
import io.konduit.queue.admin.QueueDecision;
import io.konduit.queue.admin.RegisteredWorker;
import io.konduit.queue.admin.TaskGroup;
import io.konduit.queue.review.InspectionRepository.Leader;
import io.konduit.queue.store.TaskRow;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.Repository;

/** What operators read: one method per statement, mapped by Spring Data. */
interface OperatorReads extends Repository<TaskRow, Long> {

    @Query(name = "list-workers")
    List<RegisteredWorker> workers(long staleMs, long goneMs, int limit);

    @Query(name = "find-leader")
    Leader leader(String lock, String record, String chore);

    @Query(name = "list-paused")
    List<PausedQueue> paused(int limit);

    @Query(name = "list-queue-audit")
    List<QueueDecision> decisions(long beforeId, int limit);

    @Query(name = "list-audit")
    List<AuditEntry> audit(long beforeId, int limit);

    @Query(name = "find-story")
    Optional<SituationRow> situation(long id, long staleMs);

    @Query(name = "list-held")
    List<HeldRow> held(long afterId, int limit);

    @Query(name = "list-zombie-tasks")
    List<TaskRow> zombies(int above, int limit);

    @Query(name = "list-orphans:expired")
    List<Orphan> orphans(@Nullable String serverTime, long graceMs, int quarantineAfter, int limit);

    @Query(name = "list-orphans:abandoned")
    List<Orphan> abandoned(long abandonedMs, int quarantineAfter, int limit);

    @Query(name = "count-abandoned")
    long countAbandoned(long abandonedMs);

    @Query(name = "count-groups")
    List<TaskGroup> groups(int cap);

    @Query(name = "incidents-per-day")
    List<IncidentDay> incidentsPerDay(int days, int cap);

    @Query(name = "page-incidents")
    List<Incident> incidents(long periodMs, String beforeTime, long beforeId, int limit);

    @Query(name = "list-incidents-of-task")
    List<Incident> incidentsOf(long taskId, int limit);

    @Query(name = "sum-incidents")
    List<IncidentCount> countIncidents(long periodMs, int cap);
}
