-- B1: tasks by status, queue and type, for counts that follow a filter and for suggestions. Waiting and finished tasks are
-- counted among the newest :cap rows of their table, failed ones among the latest :cap failures: the cost does not grow with
-- backlog or history. There is no index by type.
select s.status, s.queue, s.type, count(*) as tasks
  from ((select t.status, t.queue, t.type
           from (select n.status, n.queue, n.type from konduit_task n order by n.id desc limit :cap) t
          where t.status = 'PENDING')
         union all
        (select t.status, t.queue, t.type
           from konduit_task t
          where t.status = 'RUNNING'
          order by t.id desc
          limit :cap)
         union all
        (select t.status, t.queue, t.type
           from konduit_task t
          where t.status = 'HELD'
          order by t.finished_at desc, t.id desc
          limit :cap)
         union all
        (select t.status, t.queue, t.type
           from konduit_task t
          where t.status = 'FAILED'
          order by t.finished_at desc, t.id desc
          limit :cap)
         union all
        (select t.status, t.queue, t.type
           from konduit_task_history t
          order by t.id desc
          limit :cap)) s
 group by s.status, s.queue, s.type
 order by tasks desc, s.status, s.queue, s.type
 limit 1000
