-- F2: the error of a run that had lost its lease. It changed nothing, so the task is only read.
insert into konduit_task_error (task_id, lease_epoch, attempt, type, message, stack, outcome, worker, at)
select t.id, :epoch, :attempt, :type, :message::text, :stack, 'REFUSED', :worker, statement_timestamp()
  from konduit_tasks t
 where t.id = :id
    on conflict do nothing
