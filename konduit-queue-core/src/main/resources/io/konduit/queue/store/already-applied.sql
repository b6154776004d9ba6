-- F6: which of these leases ended by an outcome of this worker whose reply was lost. Any other way to end a lease
-- increments zombie_count or cancels the task, so an unchanged zombie_count means that the lease's own outcome was
-- applied.
select o.id
  from unnest(:ids::bigint[], :epochs::bigint[], :zombieCounts::integer[], :completed::boolean[])
    as o(id, lease_epoch, zombie_count, completed)
  join konduit_tasks t on t.id = o.id
 where t.zombie_count = o.zombie_count
   and (t.status = 'COMPLETED' and t.lease_epoch = o.lease_epoch and t.locked_by = :worker
        or not o.completed and (t.lease_epoch > o.lease_epoch
                                or t.lease_epoch = o.lease_epoch and t.status in ('PENDING', 'FAILED')))
