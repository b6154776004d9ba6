-- Evidence of a run that was interrupted and is left to the reaper, if the row is still ours. Never waits.
with mine as (
  select t.id
    from konduit_task t
   where t.id = :id and t.lease_epoch = :epoch and t.locked_by = :worker and t.status = 'RUNNING'
     for no key update skip locked),
noted as (
  update konduit_task t set last_error = :error from mine m where t.id = m.id)
insert into konduit_task_error (task_id, lease_epoch, attempt, type, message, stack, outcome, worker, at)
select m.id, :epoch, :attempt, :type, :message::text, :stack, 'INTERRUPTED', :worker, statement_timestamp()
  from mine m
    on conflict do nothing
