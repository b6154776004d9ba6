-- Why the attempts of a task failed, newest first.
select attempt, type, message, stack, outcome, worker, at
  from konduit_task_error
 where task_id = :taskId
 order by lease_epoch desc
 limit :limit
