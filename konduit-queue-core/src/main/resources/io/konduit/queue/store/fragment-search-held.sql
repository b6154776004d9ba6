-- Held tasks, by the index on (status, finished_at, id): a held task has no finished_at.
select {{live-columns}}, null::timestamptz as sort_time
  from konduit_task t
 where t.status = 'HELD' and t.finished_at is null and t.id < :beforeId
 order by t.finished_at desc, t.id desc
 limit :examine
