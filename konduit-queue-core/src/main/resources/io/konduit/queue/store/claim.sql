-- T2, one statement. One index probe per queue and priority, best priority first and only as far as needed: a million
-- future tasks at a better priority cost nothing. Two hints say where a probe begins: lower_bound skips index entries of
-- rows already gone, searched_ms what an earlier look has read in vain, so long ago. Only types that this worker has
-- handlers for: a task that it cannot run it neither takes nor decides about (S10).
-- The rows are locked when the update comes to them, so they are where they were found: it takes them by their place
-- (ctid), without another look at an index and without a join that a planner could turn into a scan. A place names a row
-- within one table only, so the update takes rows of one table, also where somebody has partitioned it.
with found as materialized (
  select s.tableoid, s.ctid, s.id, s.run_at, s.bytes, p.place
    from unnest(:queues::text[], :priorities::smallint[], :lowerBounds::timestamptz[], :searchedMs::bigint[])
      with ordinality as p(queue, priority, lower_bound, searched_ms, place)
   cross join lateral (
     select t.tableoid, t.ctid, t.id, t.run_at,
            case when pg_column_compression(t.payload) is null then pg_column_size(t.payload) else octet_length(t.payload::text) end
              + coalesce(octet_length(t.checkpoint::text), 0) as bytes
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
-- As many as the worker has memory for, and always the first; what is left out was only locked, until this statement ends.
-- Sizes are added up row by row only if not all of them fit.
whole as materialized (select sum(bytes) <= :budget and min(tableoid) = max(tableoid) as fits from found),
due as materialized (
  select tableoid, ctid from found where (select fits from whole)
  union all
  select f.tableoid, f.ctid
    from (select tableoid, ctid, first_value(tableoid) over best_first as first_table,
                 sum(bytes) over best_first as bytes, row_number() over best_first as number
            from found
           where not (select fits from whole)
          window best_first as (order by place, run_at, id rows unbounded preceding)) f
   where (f.bytes <= :budget or f.number = 1) and f.tableoid = f.first_table)
update konduit_task t
   set status = 'RUNNING', attempts = t.attempts + 1,
       -- after a promotion greater than every token before it, also than those whose commits were lost (S16)
       lease_epoch = greatest(t.lease_epoch, ((select konduit_timeline()) - 1) << 32) + 1, locked_by = :worker,
       locked_at = statement_timestamp(),
       -- what the sender left open the handler decides, then the settings
       lock_timeout_at = statement_timestamp()
           + coalesce(t.lock_timeout_ms, (:handlerLockTimeoutsMs::bigint[])[array_position(:handlerTypes::text[], t.type)], :lockTimeoutMs)
           * interval '1 millisecond',
       max_attempts = coalesce(t.max_attempts, (:handlerMaxAttempts::integer[])[array_position(:handlerTypes::text[], t.type)], :maxAttempts),
       reapable = coalesce(t.reapable, (:handlerReapables::boolean[])[array_position(:handlerTypes::text[], t.type)], true)
 where t.ctid = any (array(select due.ctid from due))
   and t.tableoid = (select due.tableoid from due limit 1)
returning t.id, t.lease_epoch, t.queue, t.type, t.payload, t.priority, t.run_at, t.attempts, t.max_attempts, t.reapable, t.zombie_count,
          coalesce(t.uncharged, 0) as uncharged,
          coalesce(t.lock_timeout_ms, (:handlerLockTimeoutsMs::bigint[])[array_position(:handlerTypes::text[], t.type)], :lockTimeoutMs)
              as lock_timeout_ms,
          t.timeout_ms, t.checkpoint, t.trace_context, t.created_at,
          -- when all these leases began, made once: a timestamp as text costs more than a number
          (select (extract(epoch from statement_timestamp()) * 1000000)::bigint) as claimed_at_us,
          (date_part('epoch', statement_timestamp() - t.run_at) * 1000)::bigint as waited_ms,
          not (select fits from whole) and (select count(*) from found) > (select count(*) from due) as more_found
