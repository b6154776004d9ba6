-- O2: the orphans that a reclaim would take now, oldest first, and what would become of them. Changes nothing.
-- :serverTime is null: there is no pass with a start time.
select t.id, t.queue, t.type, t.locked_by as owner, t.lease_epoch, t.locked_at as lease_started_at,
       t.lock_timeout_at as lease_ended_at, t.zombie_count,
       {{hold-reason}} as would_be_held
  from konduit_task t
 where t.status = 'RUNNING'
   and {{expired}}
 order by t.lock_timeout_at, t.id
 limit :limit
