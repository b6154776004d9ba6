-- T4: deleted from the hot table and kept in history by one statement. An id that is not returned was not completed by
-- it. No locks are taken first: that would write every row once more. The statement waits for a row that is locked
-- elsewhere, for at most lockTimeout (null: the session's setting), and then checks the whole condition again on the
-- new version. The limit is set before the first row is touched and ends with the transaction.
-- One index probe per id, and no join, which could read every running row. The ids are sorted, so width_bucket finds
-- the index of an id in the array, and its epoch has the same index.
with gone as (
  delete from konduit_task t
   where t.id = any (:ids::bigint[]) and t.lease_epoch = (:epochs::bigint[])[width_bucket(t.id, :ids::bigint[])]
     and t.status = 'RUNNING' and t.locked_by = :worker
     and (select set_config('lock_timeout', coalesce(:lockTimeout::text, current_setting('lock_timeout')), true)) is not null
  returning t.id, t.queue, t.type, t.payload, t.priority, t.run_at, t.attempts - coalesce(t.uncharged, 0) as attempts,
            t.max_attempts - coalesce(t.uncharged, 0) as max_attempts, t.reapable, t.zombie_count,
            t.lease_epoch, t.locked_by, t.locked_at, t.last_checkpoint_at, t.unique_key, t.last_error, t.created_at)
insert into konduit_task_history
       (id, queue, type, payload, priority, status, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch,
        locked_by, locked_at, last_checkpoint_at, unique_key, last_error, created_at, finished_at)
select id, queue, type, payload, priority, 'COMPLETED', run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch,
       locked_by, locked_at, last_checkpoint_at, unique_key, last_error, created_at, statement_timestamp()
  from gone
returning id
