-- O4: tasks that run, are held or have failed, by queue. Running ones are bounded by the workers' slots, held and failed
-- ones by :cap each: many failed tasks must not hide the held ones.
select s.queue, s.status, s.hold_reason, count(*) as tasks
  from (select t.queue, t.status, null::text as hold_reason
          from konduit_task t
         where t.status = 'RUNNING'
         union all
        (select t.queue, t.status, t.hold_reason
          from konduit_task t
         where t.status = 'HELD'
         limit :cap)
         union all
        (select t.queue, t.status, null::text
          from konduit_task t
         where t.status = 'FAILED'
         limit :cap)) s
 group by s.queue, s.status, s.hold_reason
