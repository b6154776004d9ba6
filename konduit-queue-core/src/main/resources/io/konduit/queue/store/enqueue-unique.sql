-- T1 with a unique key: no row means that a live task has the key already.
insert into konduit_task
       (id, queue, type, payload, priority, status, run_at, max_attempts, reapable, lock_timeout_ms, timeout_ms, trace_context, unique_key, created_at)
values (nextval('konduit_task_id_seq') + ((konduit_timeline() - 1) << 40),
        :queue, :type, :payload::jsonb, :priority, 'PENDING',
        coalesce(:runAt::timestamptz, statement_timestamp() + :delayMs::bigint * interval '1 millisecond'),
        :maxAttempts::integer, :reapable::boolean, :lockTimeoutMs::bigint, :timeoutMs::bigint, :traceContext, :uniqueKey, statement_timestamp())
on conflict (queue, unique_key) where unique_key is not null and status in ('PENDING', 'RUNNING', 'HELD') do nothing
returning id
