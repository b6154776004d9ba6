-- T11: rows go to history with their audit rows. A worker that held one is notified after the commit, and gets "lost"
-- when it asks.
with gone as (
  delete from konduit_task where id = any (:ids::bigint[])
  returning id, queue, type, payload, priority, run_at, attempts - coalesce(uncharged, 0) as attempts,
            max_attempts - coalesce(uncharged, 0) as max_attempts, reapable, zombie_count, lease_epoch,
            locked_by, locked_at, lock_timeout_at, last_checkpoint_at, unique_key, last_error, created_at),
kept as (
  insert into konduit_task_history
         (id, queue, type, payload, priority, status, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch,
          locked_by, locked_at, last_checkpoint_at, unique_key, last_error, created_at, finished_at)
  select id, queue, type, payload, priority, 'CANCELLED', run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch,
         locked_by, locked_at, last_checkpoint_at, unique_key, last_error, created_at, statement_timestamp()
    from gone
  returning id)
insert into konduit_task_incident
       (task_id, queue, type, classification, action, actor, note, previous_owner, lease_epoch, lease_started_at,
        lease_ended_at, detected_at, attempts, zombie_count, outcome, outcome_at)
select id, queue, type, 'OPERATOR', 'CANCELLED', :actor, :note, locked_by, lease_epoch, locked_at,
       lock_timeout_at, statement_timestamp(), attempts, zombie_count, 'CANCELLED', statement_timestamp()
  from gone
returning task_id, previous_owner is not null as had_owner
