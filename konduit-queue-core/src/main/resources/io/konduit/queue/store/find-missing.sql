-- Which of these tasks are neither live nor in history. One probe per task: with a join, the planner could read the
-- whole history. It uses the view, because an instance that only enqueues may read nothing else.
select a.id
  from unnest(:ids::bigint[]) as a(id)
  left join lateral (select 1 as found from konduit_tasks t where t.id = a.id limit 1) known on true
 where known.found is null
 order by a.id
