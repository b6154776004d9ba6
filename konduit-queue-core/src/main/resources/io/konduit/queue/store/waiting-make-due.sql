-- For tests of applications: what waits for its time is due now, in the order of those times.
with waiting as (
  select id, row_number() over (order by run_at desc, id desc) as place
    from konduit_task
   where status = 'PENDING' and run_at > statement_timestamp())
update konduit_task t
   set run_at = statement_timestamp() - w.place * interval '1 microsecond'
  from waiting w
 where t.id = w.id and t.status = 'PENDING'
