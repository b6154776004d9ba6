-- What would become of running tasks that are taken back. The variant decides which, and in which order. Changes nothing.
select t.id, t.queue, t.type, t.locked_by as owner, t.lease_epoch, t.locked_at as lease_started_at,
       t.lock_timeout_at as lease_ended_at, t.zombie_count,
       {{hold-reason}} as would_be_held
  from konduit_task t
 where t.status = 'RUNNING'
   and {{orphans-*}}
 limit :limit
