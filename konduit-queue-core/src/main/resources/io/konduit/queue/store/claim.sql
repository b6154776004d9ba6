-- T2, one statement. One index probe per queue and priority, best priority first and only as far as needed: a million
-- future tasks at a better priority cost nothing. Two hints limit each probe: lower_bound skips index entries of
-- deleted rows, and searched_ms skips rows that an earlier probe has already read without result. Only types that this
-- worker has handlers for: it neither takes nor judges a task that it cannot run (S10).
-- Takes as many rows as fit into the worker's memory budget, and always the first: rows come in the order of the
-- probes, and each knows the total bytes up to itself. Rows left out were only locked, until this statement ends.
-- The rows are locked when the update reaches them, so they cannot have moved: it takes them by ctid, without another
-- index lookup and without a join that a planner could turn into a scan. A ctid is unique only within one table, so the
-- update takes rows of one table, even where konduit_task has been partitioned.
with found as materialized (
  select b.tableoid, b.ctid, b.bytes, sum(b.bytes) over (rows unbounded preceding) as total
    from (
      select s.tableoid, s.ctid, s.bytes
        from unnest(:queues::text[], :priorities::smallint[], :lowerBounds::timestamptz[], :searchedMs::bigint[])
               as p(queue, priority, lower_bound, searched_ms)
       cross join lateral (
         select t.tableoid, t.ctid,
                case when pg_column_compression(t.payload) is null then pg_column_size(t.payload) else octet_length(t.payload::text) end
                  + coalesce(octet_length(t.checkpoint::text), 0) as bytes
           from konduit_task t
          where t.status = 'PENDING' and t.queue = p.queue and t.priority = p.priority
            and t.run_at >= greatest(p.lower_bound, statement_timestamp() - p.searched_ms * interval '1 millisecond')
            and t.run_at <= statement_timestamp()
            and t.type = any (:types::text[])
        and t.id <> all (:stillRunning::bigint[]) -- an older run is still active in this worker
          order by t.run_at, t.id
          limit :limit
            for no key update skip locked) s
       -- paused queues; not as a join, which would lose the order of the probes
       where p.queue <> all (array(select q.name from konduit_queue q))
       limit :limit) b)
update konduit_task t
   set status = 'RUNNING', attempts = t.attempts + 1,
       -- after a promotion greater than every earlier token, even those whose commits were lost (S16)
       lease_epoch = greatest(t.lease_epoch, ((select konduit_timeline()) - 1) << 32) + 1, locked_by = :worker,
       locked_at = statement_timestamp(),
       -- the handler decides what the sender left open, then the settings
       lock_timeout_at = statement_timestamp()
           + coalesce(t.lock_timeout_ms, (:handlerLockTimeoutsMs::bigint[])[array_position(:handlerTypes::text[], t.type)], :lockTimeoutMs)
           * interval '1 millisecond',
       max_attempts = coalesce(t.max_attempts, (:handlerMaxAttempts::integer[])[array_position(:handlerTypes::text[], t.type)], :maxAttempts),
       reapable = coalesce(t.reapable, (:handlerReapables::boolean[])[array_position(:handlerTypes::text[], t.type)], true)
 where t.ctid = any (array(
         select f.ctid
           from found f
          where (f.total <= :budget or f.total = f.bytes) and f.tableoid = (select a.tableoid from found a limit 1)))
   and t.tableoid = (select a.tableoid from found a limit 1)
returning t.id, t.lease_epoch, t.queue, t.type, t.payload, t.priority, t.run_at, t.attempts, t.max_attempts, t.reapable, t.zombie_count,
          t.uncharged,
          coalesce(t.lock_timeout_ms, (:handlerLockTimeoutsMs::bigint[])[array_position(:handlerTypes::text[], t.type)], :lockTimeoutMs)
              as lock_timeout_ms,
          t.timeout_ms, t.checkpoint, t.trace_context, t.created_at, t.scheduled_for,
          -- when all these leases began, computed once: a timestamp as text costs more than a number
          (select (extract(epoch from statement_timestamp()) * 1000000)::bigint) as claimed_at_us,
          -- true or null: unlike false, null costs nothing in each row
          (select nullif(count(*) > 1 and max(f.total) > :budget, false) from found f) as more_found,
          -- K2: with this commit, and only if a row was taken, the other instances learn that a worker holds leases again
          case when :busyChannel::text is not null then (select count(*) from pg_notify(:busyChannel::text, 'busy')) end as announced
