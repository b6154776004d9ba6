-- The newest error of each of these tasks: one index probe per task. A refused error says nothing about the task.
select e.task_id, e.attempt, e.type, e.message, e.at
  from unnest(:ids::bigint[]) as t(id)
 cross join lateral (
   select k.task_id, k.attempt, k.type, k.message, k.at
     from konduit_task_error k
    where k.task_id = t.id and k.outcome <> 'REFUSED'
    order by k.lease_epoch desc
    limit 1) e
