-- S13: how many tasks list-orphans:abandoned would show without its limit. Running rows are few.
select count(*)
  from konduit_task t
 where t.status = 'RUNNING'
   and {{abandoned}}
