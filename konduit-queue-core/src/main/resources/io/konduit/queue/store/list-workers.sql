-- The registered workers, most recent heartbeat first. One row per instance; retention deletes those long gone. STALE
-- is derived from the last heartbeat: the instance that would mark the row may itself be silent. A GONE worker is
-- silent, holds no task, and has been replaced or silent for long. It is replaced when as many workers of its name have
-- started after its last heartbeat as have fallen silent since. A witness of another start of the server tells of nothing (K4).
select w.id, w.name, w.host, w.pid, w.version, w.application_version, w.queues, w.concurrency, w.started_at, w.last_beat_at,
       w.draining_since, w.draining_by, w.witness is not null and w.witness_server is not distinct from pg_postmaster_start_time() as witness,
       case when not w.silent then case when w.draining_since is null then 'ACTIVE' else 'DRAINING' end
            when r.tasks > 0 then 'STALE'
            when w.last_beat_at < statement_timestamp() - :goneMs * interval '1 millisecond' then 'GONE'
            when (select count(*) from konduit_worker y where y.name = w.name and y.started_at > w.last_beat_at) >= w.nth then 'GONE'
            else 'STALE' end as status,
       coalesce(r.tasks, 0) as running,
       extract(epoch from clock_timestamp() - w.last_beat_at) as silent_seconds
  from (select k.*, s.silent, row_number() over (partition by k.name, s.silent order by k.last_beat_at desc, k.id) as nth
          from konduit_worker k
         cross join lateral (
           select k.last_beat_at < statement_timestamp() - :staleMs * interval '1 millisecond' as silent) s) w
  -- there are never more running rows than the slots of all workers
  left join (select t.locked_by, count(*) as tasks from konduit_task t where t.status = 'RUNNING' group by t.locked_by) r
    on r.locked_by = w.id
 order by w.last_beat_at desc
 limit :limit
