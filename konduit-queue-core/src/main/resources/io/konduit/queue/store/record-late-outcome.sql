-- F2: the worker that lost the task was alive after all. The first report stays. One statement per lease: with a list,
-- PostgreSQL 14 to 16 would scan a small table, because they estimate ten probes as more expensive.
update konduit_task_incident
   set late_outcome = :outcome, late_outcome_at = statement_timestamp()
 where task_id = :id and lease_epoch = :epoch and previous_owner = :worker and late_outcome is null
returning action
