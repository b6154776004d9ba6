-- P1, P6: makes a schedule or replaces it. The next time stays what it was while the expression, zone or interval do: a
-- deployment must not skip what was missed. A pause of an operator stays. No row means that the name belongs to a schedule
-- that live workers declare.
insert into konduit_schedule as s
       (name, cron, zone, every_ms, catch_up, overlap, next_at, declared, type, queue, payload, priority, max_attempts, reapable,
        lock_timeout_ms, timeout_ms, created_at)
values (:name, :cron, :zone, :everyMs, :catchUp, :overlap, :nextAt::timestamptz, :declared, :type, :queue, :payload::jsonb,
        :priority, :maxAttempts::integer, :reapable::boolean, :lockTimeoutMs::bigint, :timeoutMs::bigint, statement_timestamp())
on conflict (name) do update
   set version = nextval('konduit_schedule_version'), cron = excluded.cron, zone = excluded.zone, every_ms = excluded.every_ms,
       catch_up = excluded.catch_up, overlap = excluded.overlap,
       next_at = case when (s.cron, s.zone, s.every_ms) is not distinct from (excluded.cron, excluded.zone, excluded.every_ms)
                      then s.next_at else excluded.next_at end,
       declared = excluded.declared, undeclared_since = null,
       pause_reason = case when s.pause_reason = 'OPERATOR' then s.pause_reason end,
       paused_at = case when s.pause_reason = 'OPERATOR' then s.paused_at end,
       paused_by = case when s.pause_reason = 'OPERATOR' then s.paused_by end,
       pause_note = case when s.pause_reason = 'OPERATOR' then s.pause_note end,
       type = excluded.type, queue = excluded.queue, payload = excluded.payload, priority = excluded.priority,
       max_attempts = excluded.max_attempts, reapable = excluded.reapable, lock_timeout_ms = excluded.lock_timeout_ms,
       timeout_ms = excluded.timeout_ms
 where excluded.declared or not s.declared or s.pause_reason = 'UNDECLARED'
