-- Like pause-queue, for an actor that pauses a queue only once: a queue that an operator has resumed stays resumed.
with paused as (
  insert into konduit_queue (name, paused_at, paused_by, note)
  select :queue::text, statement_timestamp(), :actor::text, :note::text
   where not exists (
     select 1 from konduit_queue_audit a where a.queue = :queue and a.actor = :actor and a.action = 'PAUSED')
  on conflict (name) do nothing
  returning name, paused_at)
insert into konduit_queue_audit (queue, action, actor, note, at)
select name, 'PAUSED', :actor, :note, paused_at
  from paused
