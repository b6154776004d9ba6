-- For tests of applications: the lease of one running task has ended, and the grace is over. Never waits for the row.
update konduit_task
   set lock_timeout_at = statement_timestamp() - (:graceMs + 1000) * interval '1 millisecond'
 where id = (select t.id from konduit_task t where t.id = :id and t.status = 'RUNNING' for no key update skip locked)
