-- F3 above READ COMMITTED: the first statement of a handler's transaction. No other transaction can change the row from
-- here on, so this one can still write it when it commits.
select 1
  from konduit_task
 where id = :id and lease_epoch = :epoch and locked_by = :worker and status = 'RUNNING'
   for no key update
