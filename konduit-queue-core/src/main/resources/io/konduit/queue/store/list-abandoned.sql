-- S13: the leases that a clean-up of abandoned leases would take now, and what would become of them. Changes nothing.
select t.id, t.queue, t.type, t.locked_by as owner, t.lease_epoch, t.locked_at as lease_started_at,
       t.lock_timeout_at as lease_ended_at, t.zombie_count,
       {{hold-reason}} as would_be_held
  from konduit_task t
 where t.status = 'RUNNING'
   and {{abandoned}}
 order by t.id
 limit :limit
