-- T15, R1: one small batch that never waits.
delete from konduit_task_incident
 where id in (
   select id
     from konduit_task_incident
    where detected_at < statement_timestamp() - :keepMs * interval '1 millisecond'
    order by detected_at, id
    limit :most
      for update skip locked)
