-- P7: an operator runs a schedule that this transaction has locked. The nominal time is now, and next_at stays. Not allowed
-- while the previous task is not finished. No task although it is allowed: the ledger has this very microsecond.
with s as materialized (
  select r.*
    from konduit_schedule r
   where r.name = :name
     and (r.overlap = 'ALLOW'
          or not exists (select 1 from konduit_task t where t.id = r.last_task_id and t.status <> 'FAILED'))),
recorded as (
  insert into konduit_schedule_firing (schedule, nominal_at, outcome, task_id, dropped, recorded_at, actor)
  select s.name, statement_timestamp(), 'BY_HAND', nextval('konduit_task_id_seq') + ((konduit_timeline() - 1) << 40), 0,
         statement_timestamp(), :actor
    from s
  on conflict do nothing
  returning nominal_at, task_id),
created as (
  insert into konduit_task
         (id, queue, type, payload, priority, status, run_at, max_attempts, reapable, lock_timeout_ms, timeout_ms, created_at,
          schedule, scheduled_for)
  select r.task_id, s.queue, s.type, s.payload, s.priority, 'PENDING', statement_timestamp(), s.max_attempts, s.reapable,
         s.lock_timeout_ms, s.timeout_ms, statement_timestamp(), s.name, r.nominal_at
    from recorded r cross join s),
updated as (
  update konduit_schedule u
     set version = nextval('konduit_schedule_version'), last_task_id = r.task_id
    from recorded r
   where u.name = :name),
audited as (
  insert into konduit_audit (at, actor, action, target, changed, note)
  select statement_timestamp(), :actor, 'RUN_SCHEDULE', :name, 1, :note
    from recorded)
select exists (select 1 from s) as allowed, (select r.task_id from recorded r) as task_id
