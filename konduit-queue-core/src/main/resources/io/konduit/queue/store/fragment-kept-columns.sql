-- T4, T11: what history keeps of a task, as in fragment-kept-values.
id, queue, type, payload, priority, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch, locked_by, locked_at,
last_checkpoint_at, unique_key, last_error, created_at, snoozes, schedule,
scheduled_for
