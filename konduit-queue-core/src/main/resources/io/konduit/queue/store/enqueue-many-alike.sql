-- T1 for many that differ in their payloads only, as a bulk mostly does: one array to read instead of ten, and no second
-- look at the rows. They are inserted in the order of the array, so their ids grow in the order of the requests. All get
-- the same moment, so that they are run in that order too. The array is unnested in a select list, which passes each row
-- on; in a from clause all rows would be stored first.
with moment as materialized (
  select now, coalesce(:runAt::timestamptz, now + :delayMs::bigint * interval '1 millisecond') as run_at
    from statement_timestamp() as now)
insert into konduit_task
       (id, queue, type, payload, priority, status, run_at, max_attempts, reapable, lock_timeout_ms, timeout_ms, trace_context, created_at)
select nextval('konduit_task_id_seq') + (((select konduit_timeline()) - 1) << 40),
       :queue::text, :type::text, r.payload::jsonb, :priority::smallint, 'PENDING', (select run_at from moment),
       :maxAttempts::integer, :reapable::boolean, :lockTimeoutMs::bigint, :timeoutMs::bigint, :traceContext::text,
       (select now from moment)
  from (select unnest(:payloads::text[]) as payload) r
returning id
