-- Whether task t still has lease o of this worker.
t.id = o.id and t.lease_epoch = o.lease_epoch and t.locked_by = :worker and t.status = 'RUNNING'
