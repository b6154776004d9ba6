-- T5 and T6: the row itself decides whether an attempt is left. Never waits: a row that somebody else has locked comes
-- back as ours and not written, and is tried again apart from the others.
with outcome as materialized (
  select o.id, o.lease_epoch, o.fatal, o.backoff_ms, o.error
    from unnest(:ids::bigint[], :epochs::bigint[], :fatals::boolean[], :backoffsMs::bigint[], :errors::text[])
      as o(id, lease_epoch, fatal, backoff_ms, error)
   order by o.id),
locked as materialized (
  select l.id, o.fatal or l.attempts >= l.max_attempts as final, o.backoff_ms, o.error
    from outcome o
   cross join lateral (
     select t.id, t.attempts, t.max_attempts
       from konduit_task t
      where t.id = o.id and t.lease_epoch = o.lease_epoch and t.locked_by = :worker and t.status = 'RUNNING'
        for no key update skip locked) l),
written as (
  update konduit_task t
     set status = case when l.final then 'FAILED' else 'PENDING' end,
         run_at = case when l.final then t.run_at else statement_timestamp() + l.backoff_ms * interval '1 millisecond' end,
         finished_at = case when l.final then statement_timestamp() end,
         last_error = l.error, locked_by = null, locked_at = null, lock_timeout_at = null
    from locked l
   where t.id = l.id
  returning t.id, l.final)
select o.id, w.id is not null as written, coalesce(w.final, false) as final, m.id is not null as mine
  from outcome o
  left join written w on w.id = o.id
  left join lateral (
    select t.id
      from konduit_task t
     where w.id is null
       and t.id = o.id and t.lease_epoch = o.lease_epoch and t.locked_by = :worker and t.status = 'RUNNING'
     limit 1) m on true
