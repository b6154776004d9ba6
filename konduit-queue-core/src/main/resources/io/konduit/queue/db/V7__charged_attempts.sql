-- Readers see attempts that were charged: a claim that was given back counts neither as an attempt nor as one more that is
-- allowed. konduit_task keeps both counts with every claim, because neither may ever fall; uncharged tells the difference.
-- History has the charged numbers: its rows do not change any more.
create or replace view konduit_tasks as
select id, queue, type, payload, priority, status, run_at, attempts - coalesce(uncharged, 0) as attempts,
       max_attempts - coalesce(uncharged, 0) as max_attempts, reapable, zombie_count, lease_epoch,
       locked_by, locked_at, lock_timeout_at, last_checkpoint_at, hold_reason, unique_key, last_error, created_at, finished_at
  from konduit_task
union all
select id, queue, type, payload, priority, status, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch,
       locked_by, locked_at, null::timestamptz, last_checkpoint_at, null::text, unique_key, last_error, created_at, finished_at
  from konduit_task_history;
