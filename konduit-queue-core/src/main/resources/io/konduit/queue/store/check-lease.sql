-- Whether the lease is held now. Takes no lock, so the answer holds only for the time of the query.
select 1
  from konduit_task
 where id = :id and lease_epoch = :epoch and locked_by = :worker and status = 'RUNNING'
