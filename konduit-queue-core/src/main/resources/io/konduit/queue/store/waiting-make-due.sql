-- For tests of applications: makes waiting tasks due now, in the order of their start times.
with waiting as (
  select id, row_number() over (order by run_at desc, id desc) as ordinal
    from konduit_task
   where status = 'PENDING' and run_at > statement_timestamp())
update konduit_task t
   set run_at = statement_timestamp() - w.ordinal * interval '1 microsecond'
  from waiting w
 where t.id = w.id and t.status = 'PENDING'
