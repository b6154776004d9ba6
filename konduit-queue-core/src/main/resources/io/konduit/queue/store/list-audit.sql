-- Bulk and worker operations of operators, newest first, by primary key.
select id, at, actor, action, target, filter::text as filter, changed, note
  from konduit_audit
 where id < :beforeId
 order by id desc
 limit :limit
