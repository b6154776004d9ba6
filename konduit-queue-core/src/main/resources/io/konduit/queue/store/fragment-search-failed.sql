-- Failed tasks, most recent failure first, by the index on (status, finished_at, id).
select {{live-columns}}, t.finished_at as sort_time
  from konduit_task t
 where t.status = 'FAILED' and (t.finished_at, t.id) < (:beforeTime::timestamptz, :beforeId)
 order by t.finished_at desc, t.id desc
 limit :examine
