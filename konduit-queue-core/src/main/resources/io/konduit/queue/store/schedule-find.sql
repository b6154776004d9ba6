-- One schedule, by primary key.
select s.name, s.version, s.type, s.queue, s.cron, s.zone, s.every_ms, s.catch_up, s.overlap, s.next_at, s.last_task_id,
       s.declared, s.pause_reason, s.paused_at, s.paused_by, s.pause_note, clock_timestamp() as now
  from konduit_schedule s
 where s.name = :name
