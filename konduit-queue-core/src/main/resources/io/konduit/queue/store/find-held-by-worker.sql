-- Leases in this worker's name that began after a claim whose reply it got. Asked only after a claim without a reply.
select t.id, t.lease_epoch, t.zombie_count, t.locked_at
  from konduit_task t
 where t.status = 'RUNNING' and t.locked_by = :worker and t.locked_at > :after::timestamptz
