-- P2: schedules that are due, longest due first. Takes no lock: schedule-fire checks the version. The previous task is not
-- finished while it waits, runs or is held; a failed one is (P5).
select s.name, s.version, s.type, s.queue, s.cron, s.zone, s.every_ms, s.catch_up, s.next_at, s.last_task_id,
       s.overlap = 'SKIP'
         and exists (select 1 from konduit_task t where t.id = s.last_task_id and t.status <> 'FAILED') as previous_unfinished,
       clock_timestamp() as now
  from konduit_schedule s
 where s.pause_reason is null and s.next_at <= statement_timestamp()
 order by s.next_at
 limit :limit
