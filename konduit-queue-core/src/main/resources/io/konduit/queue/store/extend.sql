-- T3: only lock_timeout_at changes, so the update is heap-only. Never waits: a row that is locked is BUSY, not lost.
with held as (
  select h.id, h.lease_epoch, h.lock_timeout_ms
    from unnest(:ids::bigint[], :epochs::bigint[], :lockTimeoutsMs::bigint[]) as h(id, lease_epoch, lock_timeout_ms)),
locked as materialized (
  select t.id, h.lock_timeout_ms
    from held h join konduit_task t on t.id = h.id and t.lease_epoch = h.lease_epoch
   where t.status = 'RUNNING' and t.locked_by = :worker
   order by t.id
     for no key update of t skip locked),
extended as (
  update konduit_task t
     set lock_timeout_at = clock_timestamp() + l.lock_timeout_ms * interval '1 millisecond'
    from locked l
   where t.id = l.id
  returning t.id)
select h.id, h.lease_epoch, e.id is not null as extended, t.id is not null as mine
  from held h
  left join extended e on e.id = h.id
  left join konduit_task t
    on t.id = h.id and t.lease_epoch = h.lease_epoch and t.locked_by = :worker and t.status = 'RUNNING'
