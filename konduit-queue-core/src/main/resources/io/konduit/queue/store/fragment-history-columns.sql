-- The same for a task that has ended; history keeps charged attempts only.
t.id, t.queue, t.type, t.status, t.priority, t.run_at, t.attempts, t.max_attempts, t.reapable, t.zombie_count,
t.lease_epoch, t.locked_by, t.locked_at, null::timestamptz as lock_timeout_at, t.last_checkpoint_at,
null::text as hold_reason, t.unique_key, t.created_at, t.finished_at
