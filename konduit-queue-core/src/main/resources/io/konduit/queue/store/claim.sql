-- T2, one statement. One index probe per queue and priority, best priority first and only as far as needed: a million
-- future tasks at a better priority cost nothing. lower_bound is a hint that skips index entries of rows already gone.
with handler as (
  select h.type, h.lock_timeout_ms, h.max_attempts, h.reapable
    from unnest(:handlerTypes::text[], :handlerLockTimeoutsMs::bigint[], :handlerMaxAttempts::integer[], :handlerReapables::boolean[])
      as h(type, lock_timeout_ms, max_attempts, reapable)),
due as materialized (
  select s.id, s.type
    from unnest(:queues::text[], :priorities::smallint[], :lowerBounds::timestamptz[])
      with ordinality as p(queue, priority, lower_bound, place)
   cross join lateral (
     select t.id, t.type
       from konduit_task t
      where t.status = 'PENDING' and t.queue = p.queue and t.priority = p.priority
        and t.run_at >= p.lower_bound and t.run_at <= statement_timestamp()
        and t.type <> all (:unknownTypes::text[])
      order by t.run_at, t.id
      limit :most
        for no key update skip locked) s
   -- paused queues; not as a join, which would not keep the order of the probes
   where p.queue <> all (array(select q.name from konduit_queue q))
   limit :most)
update konduit_task t
   set status = 'RUNNING', attempts = t.attempts + 1, lease_epoch = t.lease_epoch + 1, locked_by = :worker,
       locked_at = clock_timestamp(),
       lock_timeout_at = clock_timestamp()
           + coalesce(t.lock_timeout_ms, h.lock_timeout_ms, :lockTimeoutMs) * interval '1 millisecond',
       max_attempts = coalesce(t.max_attempts, h.max_attempts, :maxAttempts),
       reapable = coalesce(t.reapable, h.reapable, true)
  from due left join handler h on h.type = due.type
 where t.id = due.id
returning t.id, t.lease_epoch, t.queue, t.type, t.payload, t.priority, t.run_at, t.attempts, t.max_attempts, t.reapable, t.zombie_count,
          coalesce(t.lock_timeout_ms, h.lock_timeout_ms, :lockTimeoutMs) as lock_timeout_ms, t.timeout_ms, t.checkpoint, t.trace_context, t.created_at,
          (extract(epoch from clock_timestamp() - t.run_at) * 1000)::bigint as waited_ms
