-- T15, R1: one small batch that never waits. Evidence of a held task stays while the task waits for review.
delete from konduit_task_incident
 where id in (
   select i.id
     from konduit_task_incident i
    where i.detected_at < statement_timestamp() - :keepMs * interval '1 millisecond'
      and not exists (select 1 from konduit_task t where t.id = i.task_id and t.status = 'HELD')
    order by i.detected_at, i.id
    limit :limit
      for update of i skip locked)
