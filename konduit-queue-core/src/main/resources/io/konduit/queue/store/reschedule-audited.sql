-- T17 by an operator, with an audit row per task. The start is as in reschedule.sql.
with changed as (
  update konduit_task
     set run_at = greatest(statement_timestamp(), coalesce(:runAt::timestamptz, statement_timestamp() + :delayMs * interval '1 millisecond'))
   where id = any (:ids::bigint[]) and status = 'PENDING'
  returning id, queue, type, lease_epoch, attempts - coalesce(uncharged, 0) as attempts, zombie_count, run_at),
audited as (
  insert into konduit_task_incident
         (task_id, queue, type, classification, action, actor, note, lease_epoch, detected_at, attempts, zombie_count)
  select id, queue, type, 'OPERATOR', 'RESCHEDULED', :actor, :note, lease_epoch, statement_timestamp(), attempts, zombie_count
    from changed)
select queue, ceil(extract(epoch from run_at - statement_timestamp()) * 1000)::bigint as in_ms from changed
