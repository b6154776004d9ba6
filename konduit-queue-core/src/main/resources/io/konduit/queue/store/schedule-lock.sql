-- Run now: waits for a firing that is under way. The next statement sees its task.
select s.name, s.version, s.type, s.queue, s.cron, s.zone, s.every_ms, s.catch_up, s.overlap, s.next_at, s.last_task_id,
       s.declared, s.pause_reason, s.paused_at, s.paused_by, s.pause_note, clock_timestamp() as now
  from konduit_schedule s
 where s.name = :name
   for no key update
