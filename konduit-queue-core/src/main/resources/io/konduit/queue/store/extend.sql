-- T3: only lock_timeout_at changes, so the update is heap-only. Never waits: a locked row is BUSY, not lost.
-- One index probe per id: with a join, the planner could read every running row.
with held as materialized (
  select h.id, h.lease_epoch, h.lock_timeout_ms
    from unnest(:ids::bigint[], :epochs::bigint[], :lockTimeoutsMs::bigint[]) as h(id, lease_epoch, lock_timeout_ms)
   order by h.id),
locked as materialized (
  select l.id, h.lock_timeout_ms
    from held h
   cross join lateral (
     select t.id
       from konduit_task t
      where t.id = h.id and t.lease_epoch = h.lease_epoch and t.locked_by = :worker and t.status = 'RUNNING'
        for no key update skip locked) l),
extended as (
  update konduit_task t
     set lock_timeout_at = statement_timestamp() + l.lock_timeout_ms * interval '1 millisecond'
    from locked l
   where t.id = l.id
  returning t.id)
select h.id, h.lease_epoch, e.id is not null as extended, m.id is not null as mine
  from held h
  left join extended e on e.id = h.id
  left join lateral (
    select t.id
      from konduit_task t
     where t.id = h.id and t.lease_epoch = h.lease_epoch and t.locked_by = :worker and t.status = 'RUNNING'
     limit 1) m on true
