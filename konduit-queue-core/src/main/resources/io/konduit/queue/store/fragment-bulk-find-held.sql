-- Held tasks in the order of their ids, by the index on (status, finished_at, id): a held task has no finished_at.
select t.id, t.queue, t.type, t.status, t.hold_reason, t.created_at, t.finished_at, null::timestamptz as sort_time
  from konduit_task t
 where t.status = 'HELD' and t.finished_at is null and t.id > :afterId
 order by t.finished_at, t.id
 limit :examine
