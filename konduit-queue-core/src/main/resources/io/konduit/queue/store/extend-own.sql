-- F3 for a transaction that holds the row exclusively (it has written a checkpoint, or locked the row): it must renew
-- the lease.
update konduit_task
   set lock_timeout_at = statement_timestamp() + :lockTimeoutMs * interval '1 millisecond'
 where id = :id and lease_epoch = :epoch and locked_by = :worker and status = 'RUNNING'
