-- P7: an operator pauses a schedule, with the audit row in the same statement. One that the queue has paused stays paused
-- when it is declared again. No row means that there is none, or that an operator has paused it already.
with changed as (
  update konduit_schedule
     set version = nextval('konduit_schedule_version'), pause_reason = 'OPERATOR', paused_at = statement_timestamp(),
         paused_by = :actor, pause_note = :note
   where name = :name and pause_reason is distinct from 'OPERATOR'
  returning name)
insert into konduit_audit (at, actor, action, target, changed, note)
select statement_timestamp(), :actor, 'PAUSE_SCHEDULE', name, 1, :note
  from changed
