-- Which of these tasks are neither live nor in history. One probe for each: joined at will, history would be read. The view,
-- because an instance that only enqueues may read no more.
select a.id
  from unnest(:ids::bigint[]) as a(id)
  left join lateral (select 1 as found from konduit_tasks t where t.id = a.id limit 1) known on true
 where known.found is null
 order by a.id
