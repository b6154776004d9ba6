-- T1 for many without a unique key: no conflict clause, because a speculative insertion costs more. Ids are drawn
-- first, so each request knows its own id in whatever order the insert returns them. All get the same timestamp, so
-- they run in the order of the requests.
with clock as materialized (select statement_timestamp() as now),
request as materialized (
  select nextval('konduit_task_id_seq') + (((select konduit_timeline()) - 1) << 40) as id, r.*
    from unnest(:queues::text[], :types::text[], :payloads::text[], :priorities::smallint[], :runAts::timestamptz[],
                :delaysMs::bigint[], :maxAttempts::integer[], :reapables::boolean[], :lockTimeoutsMs::bigint[],
                :timeoutsMs::bigint[], :traceContexts::text[])
      with ordinality as r(queue, type, payload, priority, run_at, delay_ms, max_attempts, reapable, lock_timeout_ms,
                           timeout_ms, trace_context, ordinal)),
created as (
  insert into konduit_task
         (id, queue, type, payload, priority, status, run_at, max_attempts, reapable, lock_timeout_ms, timeout_ms, trace_context, created_at)
  select id, queue, type, payload::jsonb, priority, 'PENDING',
         coalesce(run_at, now + delay_ms * interval '1 millisecond'),
         max_attempts, reapable, lock_timeout_ms, timeout_ms, trace_context, now
    from request cross join clock)
select id, true as created from request order by ordinal
