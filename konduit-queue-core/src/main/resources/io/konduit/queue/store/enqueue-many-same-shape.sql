-- T1 for many that differ only in their payloads, the usual bulk insert: one array instead of ten, and no second pass
-- over the rows. They are inserted in array order, so their ids ascend in the order of the requests. All get the same
-- timestamp, so they also run in that order. The array is unnested in the select list, which streams the rows; in a
-- from clause all rows would be stored first.
with clock as materialized (
  select now, coalesce(:runAt::timestamptz, now + :delayMs::bigint * interval '1 millisecond') as run_at
    from statement_timestamp() as now)
insert into konduit_task
       (id, queue, type, payload, priority, status, run_at, max_attempts, reapable, lock_timeout_ms, timeout_ms, trace_context, created_at)
select nextval('konduit_task_id_seq') + (((select konduit_timeline()) - 1) << 40),
       :queue::text, :type::text, r.payload::jsonb, :priority::smallint, 'PENDING', (select run_at from clock),
       :maxAttempts::integer, :reapable::boolean, :lockTimeoutMs::bigint, :timeoutMs::bigint, :traceContext::text,
       (select now from clock)
  from (select unnest(:payloads::text[]) as payload) r
returning id
