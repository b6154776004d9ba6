-- T19: the handler has ended its run, and the task comes back later. As in give-back.sql, the attempt is not charged, and
-- the statement never waits.
with outcome as materialized (
  select o.id, o.lease_epoch, o.delay_ms
    from unnest(:ids::bigint[], :epochs::bigint[], :delaysMs::bigint[]) as o(id, lease_epoch, delay_ms)
   order by o.id),
locked as materialized (
  select l.id, o.delay_ms
    from outcome o
   cross join lateral (
     select t.id
       from konduit_task t
      where {{mine}}
        for no key update skip locked) l),
written as (
  update konduit_task t
     set status = 'PENDING', max_attempts = least(t.max_attempts::bigint + 1, 2147483647), uncharged = coalesce(t.uncharged, 0) + 1,
         snoozes = coalesce(t.snoozes, 0) + 1, run_at = statement_timestamp() + l.delay_ms * interval '1 millisecond',
         locked_by = null, locked_at = null, lock_timeout_at = null
    from locked l
   where t.id = l.id
  returning t.id)
select o.id, w.id is not null as written, m.id is not null as mine
  from outcome o
  left join written w on w.id = o.id
  {{still-mine}}
