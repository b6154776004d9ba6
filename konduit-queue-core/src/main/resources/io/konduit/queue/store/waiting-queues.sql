-- For tests of applications: the queues that have waiting tasks.
select distinct queue from konduit_task where status = 'PENDING' order by queue
