-- Tasks that have not ended. There is deliberately no index by type: it would cost every enqueue.
select {{live-columns}}, null::timestamptz as sort_time
  from konduit_task t
 where t.id < :beforeId
 order by t.id desc
 limit :examine
