-- T13: an operator gives failed tasks more attempts. Their earlier incidents are unresolved again.
with changed as (
  update konduit_task
     set status = 'PENDING', run_at = statement_timestamp(), finished_at = null, max_attempts = attempts + :attempts
   where id = any (:ids::bigint[]) and status = 'FAILED'
  returning id, queue, type, lease_epoch, attempts - coalesce(uncharged, 0) as attempts, zombie_count),
reopened as (
  update konduit_task_incident i set outcome = null, outcome_at = null
    from changed c where i.task_id = c.id)
insert into konduit_task_incident
       (task_id, queue, type, classification, action, actor, note, lease_epoch, detected_at, attempts, zombie_count)
select id, queue, type, 'OPERATOR', 'RETRIED', :actor, :note, lease_epoch, statement_timestamp(), attempts, zombie_count
  from changed
