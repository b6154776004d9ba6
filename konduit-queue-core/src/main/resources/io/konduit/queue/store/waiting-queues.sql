-- For tests of applications: which queues have something waiting.
select distinct queue from konduit_task where status = 'PENDING' order by queue
