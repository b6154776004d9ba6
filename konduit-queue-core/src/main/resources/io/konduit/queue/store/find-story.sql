-- O1: one task and everything that decides whether it runs now: its queue, its owner, the workers that could take it.
-- The task is found by primary key, live or finished; workers and running rows are few. STALE is derived from the last
-- heartbeat, as in list-workers.
select t.id, t.queue, t.type, t.status, t.priority, t.run_at, t.attempts, t.max_attempts, t.reapable, t.zombie_count,
       t.lease_epoch, t.locked_by, t.locked_at, t.lock_timeout_at, t.last_checkpoint_at, t.hold_reason, t.unique_key,
       t.created_at, t.finished_at, coalesce(t.snoozes, 0) as snoozes, t.schedule, t.scheduled_for,
       statement_timestamp() as server_time,
       q.paused_at, q.paused_by, q.note as pause_note,
       w.name as owner_name, w.host as owner_host,
       case when w.last_beat_at < f.silent_since then 'STALE'
            when w.draining_since is not null then 'DRAINING'
            when w.id is not null then 'ACTIVE' end as owner_status,
       s.workers as serving_workers, s.slots as serving_slots, s.busy as serving_busy
  from konduit_tasks t
 cross join (select statement_timestamp() - :staleMs * interval '1 millisecond' as silent_since) f
  left join konduit_queue q on q.name = t.queue
  left join konduit_worker w on w.id = t.locked_by
 cross join lateral (
   select count(*) as workers, coalesce(sum(a.concurrency), 0) as slots,
          (select count(*)
             from konduit_task r
             join konduit_worker b on b.id = r.locked_by
            where r.status = 'RUNNING' and b.last_beat_at >= f.silent_since and b.draining_since is null
              and t.queue = any (b.queues)) as busy
     from konduit_worker a
    where a.last_beat_at >= f.silent_since and a.draining_since is null and t.queue = any (a.queues)) s
 where t.id = :id
