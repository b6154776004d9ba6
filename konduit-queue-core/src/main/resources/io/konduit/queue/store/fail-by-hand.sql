-- T14: an operator decides that held tasks must not run again.
with changed as (
  update konduit_task
     set status = 'FAILED', hold_reason = null, finished_at = statement_timestamp()
   where id = any (:ids::bigint[]) and status = 'HELD'
  returning id, queue, type, lease_epoch, attempts - coalesce(uncharged, 0) as attempts, zombie_count),
resolved as (
  update konduit_task_incident i
     set outcome = 'FAILED', outcome_at = statement_timestamp()
    from changed c
   where i.task_id = c.id and i.outcome is null)
insert into konduit_task_incident
       (task_id, queue, type, classification, action, actor, note, lease_epoch, detected_at, attempts, zombie_count,
        outcome, outcome_at)
select id, queue, type, 'OPERATOR', 'FAILED', :actor, :note, lease_epoch, statement_timestamp(), attempts, zombie_count,
       'FAILED', statement_timestamp()
  from changed
