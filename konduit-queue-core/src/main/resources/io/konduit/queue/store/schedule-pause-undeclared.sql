-- P6: pauses what no live worker has declared for a while. A version drawn by a declaration meanwhile has cleared the mark.
update konduit_schedule
   set version = nextval('konduit_schedule_version'), pause_reason = 'UNDECLARED', paused_at = statement_timestamp(),
       paused_by = :by, pause_note = null
 where declared and pause_reason is null
   and undeclared_since <= statement_timestamp() - :afterMs * interval '1 millisecond'
returning name
