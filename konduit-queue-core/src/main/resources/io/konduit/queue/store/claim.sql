-- T2, one statement. One index probe per queue and priority, best priority first and only as far as needed: a million
-- future tasks at a better priority cost nothing. lower_bound is a hint that skips index entries of rows already gone.
-- The rows are locked when the update comes to them, so they are where they were found: it takes them by their place
-- (ctid), without another look at an index and without a join that a planner could turn into a scan.
with due as materialized (
  select s.ctid
    from unnest(:queues::text[], :priorities::smallint[], :lowerBounds::timestamptz[])
      with ordinality as p(queue, priority, lower_bound, place)
   cross join lateral (
     select t.ctid
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
   set status = 'RUNNING', attempts = t.attempts + 1,
       -- after a promotion greater than every token before it, also than those whose commits were lost (S16)
       lease_epoch = greatest(t.lease_epoch, ((select konduit_timeline()) - 1) << 32) + 1, locked_by = :worker,
       locked_at = clock_timestamp(),
       -- what the sender left open the handler decides, then the settings
       lock_timeout_at = clock_timestamp()
           + coalesce(t.lock_timeout_ms, (:handlerLockTimeoutsMs::bigint[])[array_position(:handlerTypes::text[], t.type)], :lockTimeoutMs)
           * interval '1 millisecond',
       max_attempts = coalesce(t.max_attempts, (:handlerMaxAttempts::integer[])[array_position(:handlerTypes::text[], t.type)], :maxAttempts),
       reapable = coalesce(t.reapable, (:handlerReapables::boolean[])[array_position(:handlerTypes::text[], t.type)], true)
 where t.ctid = any (array(select due.ctid from due))
returning t.id, t.lease_epoch, t.queue, t.type, t.payload, t.priority, t.run_at, t.attempts, t.max_attempts, t.reapable, t.zombie_count,
          coalesce(t.lock_timeout_ms, (:handlerLockTimeoutsMs::bigint[])[array_position(:handlerTypes::text[], t.type)], :lockTimeoutMs)
              as lock_timeout_ms,
          t.timeout_ms, t.checkpoint, t.trace_context, t.created_at,
          (date_part('epoch', clock_timestamp() - t.run_at) * 1000)::bigint as waited_ms
