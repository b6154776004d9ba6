-- For tests of applications: moves waiting tasks as if this much time had passed.
update konduit_task
   set run_at = run_at - :ms * interval '1 millisecond'
 where status = 'PENDING'
