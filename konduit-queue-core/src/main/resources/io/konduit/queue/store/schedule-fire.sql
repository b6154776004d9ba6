-- P2: one statement, so one transaction, makes the tasks, records the nominal times, and moves next_at. Only for schedules
-- that have not changed since they were read, and are locked by nobody else: of two leaders, one fires. A nominal time that
-- is in the ledger already gets no second task.
with moved as materialized (
  select s.name, p.next_at, s.type, s.queue, s.payload, s.priority, s.max_attempts, s.reapable, s.lock_timeout_ms, s.timeout_ms
    from unnest(:names::text[], :versions::bigint[], :nextAts::timestamptz[]) as p(name, version, next_at)
   cross join lateral (
     select r.*
       from konduit_schedule r
      where r.name = p.name and r.version = p.version
        for no key update skip locked) s),
firing as materialized (
  select m.name, f.nominal_at, f.outcome, f.dropped,
         case when f.outcome = 'FIRED'
              then nextval('konduit_task_id_seq') + (((select konduit_timeline()) - 1) << 40)
              else f.unfinished end as task_id
    from unnest(:firingNames::text[], :nominalAts::timestamptz[], :outcomes::text[], :dropped::bigint[], :unfinished::bigint[])
           with ordinality as f(name, nominal_at, outcome, dropped, unfinished, ordinal)
    join moved m on m.name = f.name
   order by f.ordinal),
recorded as (
  insert into konduit_schedule_firing (schedule, nominal_at, outcome, task_id, dropped, recorded_at)
  select name, nominal_at, outcome, task_id, dropped, statement_timestamp()
    from firing
  on conflict do nothing
  returning schedule, nominal_at, outcome, task_id),
created as (
  insert into konduit_task
         (id, queue, type, payload, priority, status, run_at, max_attempts, reapable, lock_timeout_ms, timeout_ms, created_at,
          schedule, scheduled_for)
  select r.task_id, m.queue, m.type, m.payload, m.priority, 'PENDING', statement_timestamp(), m.max_attempts, m.reapable,
         m.lock_timeout_ms, m.timeout_ms, statement_timestamp(), m.name, r.nominal_at
    from recorded r
    join moved m on m.name = r.schedule
   where r.outcome = 'FIRED'),
updated as (
  update konduit_schedule s
     set next_at = m.next_at, version = nextval('konduit_schedule_version'),
         last_task_id = coalesce((select max(r.task_id) from recorded r where r.schedule = m.name and r.outcome = 'FIRED'),
                                 s.last_task_id)
    from moved m
   where s.name = m.name
  returning s.name)
select u.name, r.nominal_at, r.outcome
  from updated u
  left join recorded r on r.schedule = u.name
