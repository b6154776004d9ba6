-- For tests of applications: as if so much time had passed for what waits.
update konduit_task
   set run_at = run_at - :ms * interval '1 millisecond'
 where status = 'PENDING'
