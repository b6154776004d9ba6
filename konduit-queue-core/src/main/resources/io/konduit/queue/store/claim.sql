-- T2, one statement. One index probe per queue and priority, best priority first and only as far as needed: a million
-- future tasks at a better priority cost nothing. Two hints say where a probe begins: lower_bound skips index entries of
-- rows already gone, searched_ms what an earlier look has read in vain, so long ago. Only types that this worker has
-- handlers for: a task that it cannot run it neither takes nor decides about (S10).
-- The rows are locked when the update comes to them, so they are where they were found: it takes them by their place
-- (ctid), without another look at an index and without a join that a planner could turn into a scan. A place names a row
-- within one table only, so the update checks the id as well; the ids are in order, for a search by halves.
with found as materialized (
  select s.ctid, s.id, s.run_at, s.bytes, p.place
    from unnest(:queues::text[], :priorities::smallint[], :lowerBounds::timestamptz[], :searchedMs::bigint[])
      with ordinality as p(queue, priority, lower_bound, searched_ms, place)
   cross join lateral (
     select t.ctid, t.id, t.run_at,
            octet_length(t.payload::text) + coalesce(octet_length(t.checkpoint::text), 0) as bytes
       from konduit_task t
      where t.status = 'PENDING' and t.queue = p.queue and t.priority = p.priority
        and t.run_at >= greatest(p.lower_bound, statement_timestamp() - p.searched_ms * interval '1 millisecond')
        and t.run_at <= statement_timestamp()
        and t.type = any (:types::text[])
      order by t.run_at, t.id
      limit :most
        for no key update skip locked) s
   -- paused queues; not as a join, which would not keep the order of the probes
   where p.queue <> all (array(select q.name from konduit_queue q))
   limit :most),
-- as many as the worker has memory for, and always the first: what is left out was only locked, until this statement ends
due as materialized (
  select f.ctid, f.id
    from (select ctid, id, sum(bytes) over best_first as bytes, row_number() over best_first as number
            from found
          window best_first as (order by place, run_at, id rows unbounded preceding)) f
   where f.bytes <= :budget or f.number = 1)
update konduit_task t
   set status = 'RUNNING', attempts = t.attempts + 1, lease_epoch = t.lease_epoch + 1, locked_by = :worker,
       locked_at = statement_timestamp(),
       -- what the sender left open the handler decides, then the settings
       lock_timeout_at = statement_timestamp()
           + coalesce(t.lock_timeout_ms, (:handlerLockTimeoutsMs::bigint[])[array_position(:handlerTypes::text[], t.type)], :lockTimeoutMs)
           * interval '1 millisecond',
       max_attempts = coalesce(t.max_attempts, (:handlerMaxAttempts::integer[])[array_position(:handlerTypes::text[], t.type)], :maxAttempts),
       reapable = coalesce(t.reapable, (:handlerReapables::boolean[])[array_position(:handlerTypes::text[], t.type)], true)
 where t.ctid = any (array(select due.ctid from due))
   and t.id = (array(select due.id from due order by due.id))[width_bucket(t.id, array(select due.id from due order by due.id))]
returning t.id, t.lease_epoch, t.queue, t.type, t.payload, t.priority, t.run_at, t.attempts, t.max_attempts, t.reapable, t.zombie_count,
          coalesce(t.lock_timeout_ms, (:handlerLockTimeoutsMs::bigint[])[array_position(:handlerTypes::text[], t.type)], :lockTimeoutMs)
              as lock_timeout_ms,
          t.timeout_ms, t.checkpoint, t.trace_context, t.created_at, t.locked_at,
          (date_part('epoch', statement_timestamp() - t.run_at) * 1000)::bigint as waited_ms,
          (select count(*) from found) > (select count(*) from due) as more_found
