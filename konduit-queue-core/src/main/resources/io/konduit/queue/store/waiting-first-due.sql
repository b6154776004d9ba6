-- For tests of applications: the task that a worker of all queues would claim first.
select id
  from konduit_task
 where status = 'PENDING' and run_at <= statement_timestamp()
 order by priority, run_at, id
 limit 1
