-- C3: running, and without any sign of progress in this run for that long.
select t.id, t.lock_timeout_at
  from konduit_task t
 where t.status = 'RUNNING' and t.id > :afterId
   and greatest(t.locked_at, t.last_checkpoint_at) < statement_timestamp() - :thresholdMs * interval '1 millisecond'
 order by t.id
 limit :most
