-- F2: the worker that lost the task was alive after all. The first report stays. One index probe for each lease, also
-- while the statistics do not know yet how many incidents there are.
with late as materialized (
  select i.id
    from unnest(:ids::bigint[], :epochs::bigint[]) as l(id, lease_epoch)
   cross join lateral (
     select i.id
       from konduit_task_incident i
      where i.task_id = l.id and i.lease_epoch = l.lease_epoch and i.previous_owner = :worker and i.late_outcome is null
      order by i.task_id, i.id) i)
update konduit_task_incident i
   set late_outcome = :outcome, late_outcome_at = statement_timestamp()
 where i.id = any (array(select late.id from late)) and i.late_outcome is null
