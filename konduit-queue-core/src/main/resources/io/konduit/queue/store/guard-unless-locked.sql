-- F3 while a suspended transaction of the same thread has locked the row: waiting for it would deadlock. If that lock
-- is gone (rolled back to a savepoint, ended, its connection lost), this one keeps the lease instead.
select 1
  from konduit_task
 where id = :id and lease_epoch = :epoch and locked_by = :worker and status = 'RUNNING'
   for share skip locked
