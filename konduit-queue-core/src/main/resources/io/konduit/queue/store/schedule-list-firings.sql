-- What became of the last nominal times of a schedule, newest first, by primary key.
select f.nominal_at, f.outcome, f.recorded_at, f.task_id, f.dropped, f.actor
  from konduit_schedule_firing f
 where f.schedule = :name
 order by f.nominal_at desc
 limit :limit
