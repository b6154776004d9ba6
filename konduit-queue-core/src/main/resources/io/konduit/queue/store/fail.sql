-- T5 and T6: the row itself decides whether an attempt is left. Never waits: a row that is locked elsewhere is returned
-- as ours and not written, and is retried apart from the others. Each error is kept, up to the newest 20 per task. The
-- delete cannot see the new one, so it leaves 19.
with outcome as materialized (
  select o.id, o.lease_epoch, o.fatal, o.backoff_ms, o.error, o.attempt, o.type, o.message, o.stack
    from unnest(:ids::bigint[], :epochs::bigint[], :fatals::boolean[], :backoffsMs::bigint[], :errors::text[],
                :attempts::integer[], :types::text[], :messages::text[], :stacks::text[])
      as o(id, lease_epoch, fatal, backoff_ms, error, attempt, type, message, stack)
   order by o.id),
locked as materialized (
  select l.id, l.attempts, o.fatal or l.attempts >= l.max_attempts as final, o.backoff_ms, o.error,
         o.lease_epoch, o.attempt, o.type, o.message, o.stack
    from outcome o
   cross join lateral (
     select t.id, t.attempts, t.max_attempts
       from konduit_task t
      where {{mine}}
        for no key update skip locked) l),
written as (
  update konduit_task t
     set status = case when l.final then 'FAILED' else 'PENDING' end,
         run_at = case when l.final then t.run_at else statement_timestamp() + l.backoff_ms * interval '1 millisecond' end,
         finished_at = case when l.final then statement_timestamp() end,
         last_error = l.error, locked_by = null, locked_at = null, lock_timeout_at = null
    from locked l
   where t.id = l.id
  returning t.id, l.final),
kept as (
  insert into konduit_task_error (task_id, lease_epoch, attempt, type, message, stack, outcome, worker, at)
  select l.id, l.lease_epoch, l.attempt, l.type, l.message, l.stack, case when l.final then 'FAILED' else 'RETRIED' end,
         :worker, statement_timestamp()
    from locked l
      on conflict do nothing),
forgotten as (
  delete from konduit_task_error e
   where (e.task_id, e.lease_epoch) in (
     select x.task_id, x.lease_epoch
       from locked l
      cross join lateral (
        select k.task_id, k.lease_epoch
          from konduit_task_error k
         where k.task_id = l.id
         order by k.lease_epoch desc
        offset 19) x
      where l.attempts >= 20))
select o.id, w.id is not null as written, coalesce(w.final, false) as final, m.id is not null as mine,
       statement_timestamp() as at
  from outcome o
  left join written w on w.id = o.id
  {{still-mine}}
