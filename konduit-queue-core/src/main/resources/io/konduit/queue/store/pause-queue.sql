-- An operator pauses one queue. The audit row is written by the same statement; pausing twice changes nothing.
with paused as (
  insert into konduit_queue (name, paused_at, paused_by, note)
  values (:queue, statement_timestamp(), :actor, :note)
  on conflict (name) do nothing
  returning name, paused_at)
insert into konduit_queue_audit (queue, action, actor, note, at)
select name, 'PAUSED', :actor, :note, paused_at
  from paused
