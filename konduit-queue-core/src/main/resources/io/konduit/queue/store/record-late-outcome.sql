-- F2: the worker that lost the task was alive after all. The first report stays.
update konduit_task_incident i
   set late_outcome = :outcome, late_outcome_at = clock_timestamp()
  from unnest(:ids::bigint[], :epochs::bigint[]) as l(id, lease_epoch)
 where i.task_id = l.id and i.lease_epoch = l.lease_epoch and i.previous_owner = :worker and i.late_outcome is null
