-- The task that holds a unique key now, by the unique index: at most one.
select {{live-columns}}, null::timestamptz as sort_time
  from konduit_task t
 where t.queue = :queue and t.unique_key = :key and t.status in ('PENDING', 'RUNNING', 'HELD') and t.id < :beforeId
 limit :examine
