-- Which of these leases this worker no longer holds. Runs with the heartbeat when notifications are not available. One
-- index probe per id, as in extend.sql.
select h.id
  from unnest(:ids::bigint[], :epochs::bigint[]) as h(id, lease_epoch)
  left join lateral (
    select t.id
      from konduit_task t
     where t.id = h.id and t.lease_epoch = h.lease_epoch and t.locked_by = :worker and t.status = 'RUNNING'
     limit 1) m on true
 where m.id is null
