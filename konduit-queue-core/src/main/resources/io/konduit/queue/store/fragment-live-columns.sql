-- The visible columns of a live task: all but payload, checkpoint and error. Attempts that were not charged are left out. The
-- columns have the plain types of history: a union of domains and plain types reads both sides to the end.
t.id, t.queue::text as queue, t.type::text as type, t.status::text as status, t.priority::smallint as priority, t.run_at,
t.attempts - coalesce(t.uncharged, 0) as attempts, t.max_attempts - coalesce(t.uncharged, 0) as max_attempts, t.reapable,
t.zombie_count::integer as zombie_count, t.lease_epoch::bigint as lease_epoch, t.locked_by, t.locked_at, t.lock_timeout_at,
t.last_checkpoint_at, t.hold_reason::text as hold_reason, t.unique_key::text as unique_key, t.created_at, t.finished_at
