-- The evidence of a reclaimed task also records how the task ended. The statement waits for a row that is locked
-- elsewhere, for at most lockTimeout (null: the session's setting).
update konduit_task_incident
   set outcome = :outcome, outcome_at = statement_timestamp()
 where task_id = any (:ids::bigint[]) and outcome is null
   and (select set_config('lock_timeout', coalesce(:lockTimeout::text, current_setting('lock_timeout')), true)) is not null
