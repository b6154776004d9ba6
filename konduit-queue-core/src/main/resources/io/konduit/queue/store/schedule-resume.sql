-- P7: an operator resumes a schedule, with the audit row in the same statement. Who resumes what no worker declares any
-- more adopts it. No row means that it is not paused, or has changed since it was read.
with changed as (
  update konduit_schedule
     set version = nextval('konduit_schedule_version'), next_at = :nextAt::timestamptz,
         declared = declared and pause_reason <> 'UNDECLARED', undeclared_since = null,
         pause_reason = null, paused_at = null, paused_by = null, pause_note = null
   where name = :name and version = :version and pause_reason is not null
  returning name)
insert into konduit_audit (at, actor, action, target, changed, note)
select statement_timestamp(), :actor, 'RESUME_SCHEDULE', name, 1, :note
  from changed
