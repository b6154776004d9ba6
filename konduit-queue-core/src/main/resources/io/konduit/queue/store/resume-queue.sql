-- An operator resumes a paused queue. The audit row is written by the same statement; resuming twice changes nothing.
with resumed as (
  delete from konduit_queue where name = :queue
  returning name)
insert into konduit_queue_audit (queue, action, actor, note, at)
select name, 'RESUMED', :actor, :note, statement_timestamp()
  from resumed
