-- The workers that are there, the latest heard of first. One row per instance; retention removes those long gone.
-- STALE is told by the last beat: whoever would mark the row may be the one that fell silent.
select w.id, w.name, w.host, w.pid, w.version, w.queues, w.concurrency, w.started_at, w.last_beat_at, w.draining_since, w.draining_by,
       case when w.last_beat_at < statement_timestamp() - :staleMs * interval '1 millisecond' then 'STALE'
            when w.draining_since is not null then 'DRAINING'
            else 'ACTIVE' end as status,
       r.tasks as running,
       extract(epoch from clock_timestamp() - w.last_beat_at) as silent_seconds
  from konduit_worker w
  -- running rows are as many as all workers have slots
  left join (select t.locked_by, count(*) as tasks from konduit_task t where t.status = 'RUNNING' group by t.locked_by) r
    on r.locked_by = w.id
 order by w.last_beat_at desc
 limit :most
