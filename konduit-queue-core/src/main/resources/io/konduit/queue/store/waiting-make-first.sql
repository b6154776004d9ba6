-- For tests of applications: makes one waiting task due now, before all others.
update konduit_task
   set run_at = (select least(min(w.run_at), statement_timestamp()) - interval '1 millisecond'
                   from konduit_task w
                  where w.status = 'PENDING')
 where id = :id and status = 'PENDING'
