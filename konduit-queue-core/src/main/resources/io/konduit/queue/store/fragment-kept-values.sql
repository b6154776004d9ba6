-- The same, read from the live row t. Attempts that were not charged are left out.
t.id, t.queue, t.type, t.payload, t.priority, t.run_at, t.attempts - coalesce(t.uncharged, 0) as attempts,
t.max_attempts - coalesce(t.uncharged, 0) as max_attempts, t.reapable, t.zombie_count, t.lease_epoch, t.locked_by, t.locked_at,
t.last_checkpoint_at, t.unique_key, t.last_error, t.created_at, t.snoozes, t.schedule,
t.scheduled_for
