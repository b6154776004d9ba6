-- P6: an instance cannot compute the times of a schedule. It must not keep the others from firing.
update konduit_schedule
   set version = nextval('konduit_schedule_version'), pause_reason = 'INVALID', paused_at = statement_timestamp(),
       paused_by = :by, pause_note = :note
 where name = :name and version = :version and pause_reason is null
