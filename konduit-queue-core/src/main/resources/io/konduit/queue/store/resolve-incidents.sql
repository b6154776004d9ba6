-- The evidence of a task that came back also tells how it ended. A row that somebody else has locked is waited for, not longer
-- than lockTimeout says (null: as the session has it).
update konduit_task_incident
   set outcome = :outcome, outcome_at = statement_timestamp()
 where task_id = any (:ids::bigint[]) and outcome is null
   and (select set_config('lock_timeout', coalesce(:lockTimeout::text, current_setting('lock_timeout')), true)) is not null
