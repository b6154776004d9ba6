-- F3 for a transaction that has the row to itself (it has written a checkpoint, or locked it): it must leave a fresh lease behind.
update konduit_task
   set lock_timeout_at = statement_timestamp() + :lockTimeoutMs * interval '1 millisecond'
 where id = :id and lease_epoch = :epoch and locked_by = :worker and status = 'RUNNING'
