-- Whether a row that was not written is still ours: then another transaction has locked it.
left join lateral (
    select t.id
      from konduit_task t
     where w.id is null
       and t.id = o.id and t.lease_epoch = o.lease_epoch and t.locked_by = :worker and t.status = 'RUNNING'
     limit 1) m on true
