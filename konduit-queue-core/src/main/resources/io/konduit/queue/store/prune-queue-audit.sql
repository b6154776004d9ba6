-- T15, R1: one small batch that never waits. People write these rows, so that they are few and need no index. The
-- evidence of a paused queue stays as long as it is paused.
delete from konduit_queue_audit
 where id in (
   select a.id
     from konduit_queue_audit a
    where a.at < statement_timestamp() - :keepMs * interval '1 millisecond'
      and not exists (select 1 from konduit_queue q where q.name = a.queue)
    order by a.id
    limit :most
      for update of a skip locked)
