-- R1: the ledger of schedules, one small batch that never waits.
delete from konduit_schedule_firing
 where (schedule, nominal_at) in (
   select f.schedule, f.nominal_at
     from konduit_schedule_firing f
    where f.recorded_at < statement_timestamp() - :keepMs * interval '1 millisecond'
    order by f.recorded_at
    limit :limit
      for update skip locked)
