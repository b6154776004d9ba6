-- Who paused and resumed queues, newest first, by primary key.
select id, queue, action, actor, note, at
  from konduit_queue_audit
 where id < :beforeId
 order by id desc
 limit :limit
