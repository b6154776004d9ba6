-- T15, R1: one small batch that never waits. Only operators write these rows, so they are few and need no index.
-- Evidence of a paused queue stays while it is paused.
delete from konduit_queue_audit
 where id in (
   select a.id
     from konduit_queue_audit a
    where a.at < statement_timestamp() - :keepMs * interval '1 millisecond'
      and not exists (select 1 from konduit_queue q where q.name = a.queue)
    order by a.id
    limit :limit
      for update of a skip locked)
