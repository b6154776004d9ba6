-- Whether the lease is held, without a lock: a statement about the moment it was asked.
select 1
  from konduit_task
 where id = :id and lease_epoch = :epoch and locked_by = :worker and status = 'RUNNING'
