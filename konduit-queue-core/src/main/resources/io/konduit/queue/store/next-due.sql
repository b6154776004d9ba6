-- When a worker that has claimed must look again, as far as waiting tasks tell. overdue: something is due that the claim could not take, because
-- it is locked or of a type that this worker does not know. next_us: until the next task is due, at most 0 for one that became due after
-- the claim was sent. Two index probes per queue and priority; paused queues have no tasks here.
select coalesce(bool_or(o.found), false) as overdue,
       (extract(epoch from min(n.run_at) - statement_timestamp()) * 1000000)::bigint as next_us
  from unnest(:queues::text[]) as q(name)
 cross join generate_series(0, 3) as p(priority)
  left join lateral (
    select true as found
      from konduit_task t
     where t.status = 'PENDING' and t.queue = q.name and t.priority = p.priority
       and t.run_at <= statement_timestamp() - :sinceUs * interval '1 microsecond'
     order by t.run_at, t.id
     limit 1) o on true
  left join lateral (
    select t.run_at
      from konduit_task t
     where t.status = 'PENDING' and t.queue = q.name and t.priority = p.priority
       and t.run_at > statement_timestamp() - :sinceUs * interval '1 microsecond'
     order by t.run_at, t.id
     limit 1) n on true
 where q.name <> all (array(select k.name from konduit_queue k))
