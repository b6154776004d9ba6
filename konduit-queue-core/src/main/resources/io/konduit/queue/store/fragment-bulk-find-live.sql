-- Live tasks in the order of their ids, by primary key. There is no index by type.
select t.id, t.queue, t.type, t.status, t.hold_reason, t.created_at, t.finished_at, null::timestamptz as sort_time
  from konduit_task t
 where t.id > :afterId
 order by t.id
 limit :examine
