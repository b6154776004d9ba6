-- S10: due tasks for which this application has no handler. It reads only the first rows of each queue and priority:
-- after a claim that took all it could, those are the rows that it could not take.
select s.id, s.type
  from unnest(:queues::text[]) as q(name)
 cross join generate_series(0, 3) as p(priority)
 cross join lateral (
   select t.id, t.type
     from konduit_task t
    where t.status = 'PENDING' and t.queue = q.name and t.priority = p.priority and t.run_at <= statement_timestamp()
    order by t.run_at, t.id
    limit :limit) s
 where q.name <> all (array(select q.name from konduit_queue q)) and s.type <> all (:types::text[])
