-- T15, R1: one small batch that never waits.
delete from konduit_task
 where id in (
   select id
     from konduit_task
    where status = 'FAILED' and finished_at < statement_timestamp() - :keepMs * interval '1 millisecond'
    order by finished_at, id
    limit :most
      for update skip locked)
