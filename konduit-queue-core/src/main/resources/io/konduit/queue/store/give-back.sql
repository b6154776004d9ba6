-- T9: the attempt is not charged, and attempts never falls: the task gets one more instead.
with outcome as (
  select o.id, o.lease_epoch, o.delay_ms
    from unnest(:ids::bigint[], :epochs::bigint[], :delaysMs::bigint[]) as o(id, lease_epoch, delay_ms)),
locked as materialized (
  select t.id, o.delay_ms
    from outcome o join konduit_task t on t.id = o.id and t.lease_epoch = o.lease_epoch
   where t.status = 'RUNNING' and t.locked_by = :worker
   order by t.id
     for no key update of t)
update konduit_task t
   set status = 'PENDING', max_attempts = t.max_attempts + 1,
       run_at = case when l.delay_ms > 0 then clock_timestamp() + l.delay_ms * interval '1 millisecond' else t.run_at end,
       locked_by = null, locked_at = null, lock_timeout_at = null
  from locked l
 where t.id = l.id
returning t.id
