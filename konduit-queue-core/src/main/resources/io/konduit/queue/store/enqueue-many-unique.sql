-- T1 for many of which some have a unique key. Ids are drawn first, so each request knows its own id in whatever order
-- the insert returns them. Keys are inserted in key order: two callers with the same keys in different orders would
-- deadlock. All get the same timestamp, so they run in the order of the requests in whatever order they were inserted.
with clock as materialized (select statement_timestamp() as now),
request as materialized (
  select nextval('konduit_task_id_seq') + (((select konduit_timeline()) - 1) << 40) as id, r.*
    from unnest(:queues::text[], :types::text[], :payloads::text[], :priorities::smallint[], :runAts::timestamptz[],
                :delaysMs::bigint[], :maxAttempts::integer[], :reapables::boolean[], :lockTimeoutsMs::bigint[],
                :timeoutsMs::bigint[], :uniqueKeys::text[], :traceContexts::text[])
      with ordinality as r(queue, type, payload, priority, run_at, delay_ms, max_attempts, reapable, lock_timeout_ms,
                           timeout_ms, unique_key, trace_context, ordinal)),
created as (
  insert into konduit_task
         (id, queue, type, payload, priority, status, run_at, max_attempts, reapable, lock_timeout_ms, timeout_ms, unique_key, trace_context, created_at)
  select id, queue, type, payload::jsonb, priority, 'PENDING',
         coalesce(run_at, now + delay_ms * interval '1 millisecond'),
         max_attempts, reapable, lock_timeout_ms, timeout_ms, unique_key, trace_context, now
    from request cross join clock
   order by queue, unique_key, ordinal
  on conflict (queue, unique_key) where unique_key is not null and status in ('PENDING', 'RUNNING', 'HELD') do nothing
  returning id)
select r.id, c.id is not null as created
  from request r left join created c on c.id = r.id
 order by r.ordinal
