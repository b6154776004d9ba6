-- C3: running, and abandoned.
select t.id, t.lock_timeout_at
  from konduit_task t
 where t.status = 'RUNNING' and t.id > :afterId
   and {{abandoned}}
 order by t.id
 limit :limit
