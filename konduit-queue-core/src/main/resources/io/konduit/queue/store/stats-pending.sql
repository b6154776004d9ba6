-- O4: waiting tasks by queue. The queues are found by one index probe each. Each count stops at :cap, and at a share of
-- a million when there are many queues, so the cost is the same with ten million rows. The oldest due task is one probe
-- per priority.
with recursive names as (
  (select t.queue, 1 as ordinal from konduit_task t where t.status = 'PENDING' order by t.queue limit 1)
  union all
  select (select t.queue from konduit_task t where t.status = 'PENDING' and t.queue > n.queue order by t.queue limit 1),
         n.ordinal + 1
    from names n
   where n.queue is not null and n.ordinal < 1000),
share as (
  select greatest(1000, least(:cap, 1000000 / greatest(1, count(*)))) as cap from names where queue is not null)
select n.queue, s.cap,
       (select count(*)
          from (select 1
                  from konduit_task t
                 where t.status = 'PENDING' and t.queue = n.queue
                 order by t.priority, t.run_at, t.id -- by the index, whatever the planner thinks of reading the table
                 limit s.cap) counted) as waiting,
       (select extract(epoch from statement_timestamp() - min(f.run_at))
          from (values (0), (1), (2), (3)) as p(priority)
         cross join lateral (
           select t.run_at
             from konduit_task t
            where t.status = 'PENDING' and t.queue = n.queue and t.priority = p.priority and t.run_at <= statement_timestamp()
            order by t.run_at
            limit 1) f) as oldest_seconds
  from names n
 cross join share s
 where n.queue is not null
