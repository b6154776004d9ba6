-- Completed and cancelled tasks, by primary key.
select {{history-columns}}, null::timestamptz as sort_time
  from konduit_task_history t
 where t.id < :beforeId
 order by t.id desc
 limit :examine
