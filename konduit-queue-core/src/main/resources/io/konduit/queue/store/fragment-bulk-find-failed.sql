-- Failed tasks in the order in which they failed, by the index on (status, finished_at, id). Tasks that failed after
-- the call began are left out: a task that is retried and fails again would be found again without end.
select t.id, t.queue, t.type, t.status, t.hold_reason, t.created_at, t.finished_at, t.finished_at as sort_time
  from konduit_task t
 where t.status = 'FAILED' and (t.finished_at, t.id) > (:afterTime::timestamptz, :afterId) and t.finished_at <= :until::timestamptz
 order by t.finished_at, t.id
 limit :examine
