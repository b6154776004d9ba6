-- Running tasks, by their partial index. There are never more than the slots of all workers.
select {{live-columns}}, null::timestamptz as sort_time
  from konduit_task t
 where t.status = 'RUNNING' and t.id < :beforeId
 order by t.id desc
 limit :examine
