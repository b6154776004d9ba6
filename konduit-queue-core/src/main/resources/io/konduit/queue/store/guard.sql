-- F3: before a handler's transaction commits. The share lock keeps the lease until that commit; a reclaim skips the row.
select 1
  from konduit_task
 where id = :id and lease_epoch = :epoch and locked_by = :worker and status = 'RUNNING'
   for share
