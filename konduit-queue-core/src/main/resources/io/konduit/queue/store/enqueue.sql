-- T1 without a unique key: no conflict clause, because a speculative insertion costs more.
-- Ids are unique even after a failover that lost commits: the upper bits hold the timeline, as in every statement that
-- draws ids.
-- run_at uses statement_timestamp(): in a long transaction the task must not look older than it is.
insert into konduit_task
       (id, queue, type, payload, priority, status, run_at, max_attempts, reapable, lock_timeout_ms, timeout_ms, trace_context, created_at)
values (nextval('konduit_task_id_seq') + ((konduit_timeline() - 1) << 40),
        :queue, :type, :payload::jsonb, :priority, 'PENDING',
        coalesce(:runAt::timestamptz, statement_timestamp() + :delayMs::bigint * interval '1 millisecond'),
        :maxAttempts::integer, :reapable::boolean, :lockTimeoutMs::bigint, :timeoutMs::bigint, :traceContext, statement_timestamp())
returning id
