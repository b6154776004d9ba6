-- T11: rows go to history with their audit rows. A worker that held one is notified after the commit, and gets "lost"
-- when it asks.
with gone as (
  delete from konduit_task t where t.id = any (:ids::bigint[])
  returning {{kept-values}}, t.lock_timeout_at),
kept as (
  insert into konduit_task_history ({{kept-columns}}, status, finished_at, slot)
  select {{kept-columns}}, 'CANCELLED', statement_timestamp(), {{open-slot}}
    from gone
  returning id)
insert into konduit_task_incident
       (task_id, queue, type, classification, action, actor, note, previous_owner, lease_epoch, lease_started_at,
        lease_ended_at, detected_at, attempts, zombie_count, outcome, outcome_at)
select id, queue, type, 'OPERATOR', 'CANCELLED', :actor, :note, locked_by, lease_epoch, locked_at,
       lock_timeout_at, statement_timestamp(), attempts, zombie_count, 'CANCELLED', statement_timestamp()
  from gone
returning task_id, previous_owner is not null as had_owner
