-- The evidence of a task that came back also tells how it ended.
update konduit_task_incident
   set outcome = :outcome, outcome_at = statement_timestamp()
 where task_id = any (:ids::bigint[]) and outcome is null
