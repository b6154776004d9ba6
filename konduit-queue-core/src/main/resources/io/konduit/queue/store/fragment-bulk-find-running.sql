-- Running tasks in the order of their ids, by their partial index. There are never more than the slots of all workers.
select t.id, t.queue, t.type, t.status, t.hold_reason, t.created_at, t.finished_at, null::timestamptz as sort_time
  from konduit_task t
 where t.status = 'RUNNING' and t.id > :afterId
 order by t.id
 limit :examine
