-- T12: an operator lets held tasks run again; their quarantine budget starts again.
with changed as (
  update konduit_task
     set status = 'PENDING', hold_reason = null, run_at = statement_timestamp(), zombie_base = zombie_count
   where id = any (:ids::bigint[]) and status = 'HELD'
  returning id, queue, type, lease_epoch, attempts - coalesce(uncharged, 0) as attempts, zombie_count)
insert into konduit_task_incident
       (task_id, queue, type, classification, action, actor, note, lease_epoch, detected_at, attempts, zombie_count)
select id, queue, type, 'OPERATOR', 'RELEASED', :actor, :note, lease_epoch, statement_timestamp(), attempts, zombie_count
  from changed
