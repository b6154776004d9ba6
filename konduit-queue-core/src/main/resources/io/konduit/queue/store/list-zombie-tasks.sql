-- L15: live tasks that have lost more workers than that, most first, by their own index.
select t.id, t.queue, t.type, t.status, t.priority, t.run_at, t.attempts - coalesce(t.uncharged, 0) as attempts,
       t.max_attempts - coalesce(t.uncharged, 0) as max_attempts, t.reapable, t.zombie_count,
       t.lease_epoch, t.locked_by, t.locked_at, t.lock_timeout_at, t.last_checkpoint_at, t.hold_reason, t.unique_key,
       t.created_at, t.finished_at
  from konduit_task t
 where t.zombie_count > :above and t.zombie_count > 0
 order by t.zombie_count desc, t.id
 limit :most
