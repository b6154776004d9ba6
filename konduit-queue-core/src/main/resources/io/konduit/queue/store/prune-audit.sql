-- T15, R1: one small batch that never waits. Only operators and drains write these rows, so they are few and need no
-- index.
delete from konduit_audit
 where id in (
   select a.id
     from konduit_audit a
    where a.at < statement_timestamp() - :keepMs * interval '1 millisecond'
    order by a.id
    limit :limit
      for update skip locked)
