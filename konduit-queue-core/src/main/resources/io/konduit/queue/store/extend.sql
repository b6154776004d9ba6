-- T3: only lock_timeout_at changes, so the update is heap-only. Never waits: a locked row is BUSY, not lost.
-- One index probe per id: with a join, the planner could read every running row.
with lease as materialized (
  select o.id, o.lease_epoch, o.lock_timeout_ms
    from unnest(:ids::bigint[], :epochs::bigint[], :lockTimeoutsMs::bigint[]) as o(id, lease_epoch, lock_timeout_ms)
   order by o.id),
locked as materialized (
  select l.id, o.lock_timeout_ms
    from lease o
   cross join lateral (
     select t.id
       from konduit_task t
      where {{mine}}
        for no key update skip locked) l),
written as (
  update konduit_task t
     set lock_timeout_at = statement_timestamp() + l.lock_timeout_ms * interval '1 millisecond'
    from locked l
   where t.id = l.id
  returning t.id)
select o.id, o.lease_epoch, w.id is not null as extended, m.id is not null as mine
  from lease o
  left join written w on w.id = o.id
  {{still-mine}}
