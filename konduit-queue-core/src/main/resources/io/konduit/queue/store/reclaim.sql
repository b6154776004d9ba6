-- T7, T8, T10: reclaims those of the given tasks that are unchanged. The condition is checked again on the newest
-- version of each row when its lock is taken, so a lease that was just extended stays. Never waits. The same statement
-- writes the incident.
with taken as materialized (
  select t.id, t.locked_by, t.locked_at, t.lock_timeout_at,
         {{hold-reason}} as hold_reason,
         case when t.zombie_count = 0 then random() * 0.1
              else least(:backoffCapMs, :backoffMs * power(2, least(t.zombie_count - 1, 30))) / 1000.0
                   * (0.75 + 0.25 * random()) end as wait_seconds
    from konduit_task t
   where t.id = any (:ids::bigint[])
     and t.status = 'RUNNING'
     and case when :abandonedMs::bigint is null
              then {{expired}}
              else {{abandoned}} end
   order by t.id
     for no key update skip locked),
reclaimed as (
  update konduit_task t
     set status = case when k.hold_reason is null then 'PENDING' else 'HELD' end,
         hold_reason = k.hold_reason,
         zombie_count = t.zombie_count + 1,
         run_at = case when k.hold_reason is null then statement_timestamp() + k.wait_seconds * interval '1 second' else t.run_at end,
         locked_by = null, locked_at = null, lock_timeout_at = null
    from taken k
   where t.id = k.id
  returning t.id, t.queue, t.type, t.hold_reason, t.attempts - coalesce(t.uncharged, 0) as attempts, t.zombie_count, t.lease_epoch,
            k.locked_by, k.locked_at, k.lock_timeout_at)
insert into konduit_task_incident
       (task_id, queue, type, classification, action, actor, note, previous_owner, lease_epoch, lease_started_at,
        lease_ended_at, detected_at, detection_delay_ms, attempts, zombie_count)
select id, queue, type,
       case when :abandonedMs::bigint is not null then 'ABANDONED'
            when hold_reason = 'QUARANTINED' then 'QUARANTINED'
            else 'ZOMBIE' end,
       case when hold_reason is null then 'RECLAIMED' else 'HELD' end,
       :actor, hold_reason, locked_by, lease_epoch, locked_at, lock_timeout_at, statement_timestamp(),
       greatest(0, (extract(epoch from statement_timestamp() - lock_timeout_at) * 1000)::bigint), attempts, zombie_count
  from reclaimed
returning task_id, queue, type, classification, action, note, previous_owner, lease_epoch, zombie_count, detection_delay_ms
