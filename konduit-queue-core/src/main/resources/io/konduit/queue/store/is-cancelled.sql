-- Why a lease is lost: its task was cancelled while this worker held it. Runs only after a loss.
select 1
  from konduit_task_history
 where id = :id and lease_epoch = :epoch and locked_by = :worker and status = 'CANCELLED'
