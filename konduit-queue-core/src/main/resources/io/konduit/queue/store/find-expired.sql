-- L2: every running row is read through its partial index: there are never more than the slots of all workers.
-- Oldest first, page by page: rows that cannot be taken now must not hide later ones.
select t.id, t.lock_timeout_at
  from konduit_task t
 where t.status = 'RUNNING'
   and {{expired}}
   and (t.lock_timeout_at, t.id) > (:afterTime::timestamptz, :afterId)
 order by t.lock_timeout_at, t.id
 limit :limit
