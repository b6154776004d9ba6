-- K1, T18: ends the leases of workers whose witness has been gone for the worker's own grace, with the evidence. Everything is checked
-- again on the locked row of the worker: one that came back meanwhile keeps its leases. A heartbeat or a claim after the witness was missed
-- is a sign of life. Never waits for a locked worker or task: the next check takes it. A worker without such leases has nothing
-- more to lose: its witness is forgotten, so that the next checks do not come here for it. One that lives takes it again.
with held as materialized (
  {{held-witnesses}}),
gone as materialized (
  select w.id, w.last_beat_at, w.witness_gone_at
    from konduit_worker w
   where w.id = any (:workers::uuid[])
     and w.witness is not null and w.witness_server = pg_postmaster_start_time()
     and w.witness_gone_at <= statement_timestamp() - w.witness_grace_ms * interval '1 millisecond'
     and w.last_beat_at < w.witness_gone_at
     and not exists (select from held h where h.witness = (w.witness::bigint & 4294967295))
     for no key update of w skip locked),
due as materialized (
  select t.id, g.last_beat_at, g.witness_gone_at
    from konduit_task t
    join gone g on g.id = t.locked_by
   -- a task that must not run twice gains nothing: it would only be held earlier, also after a false alarm
   where t.status = 'RUNNING' and t.reapable and t.lock_timeout_at > statement_timestamp() and t.locked_at < g.witness_gone_at
   order by t.id
   limit :limit
     for no key update of t skip locked),
forgotten as (
  update konduit_worker w
     set witness = null, witness_gone_at = null
    from gone g
   where w.id = g.id
     and not exists (select from konduit_task t where t.status = 'RUNNING' and t.reapable and t.locked_by = g.id)),
ended as (
  update konduit_task t
     set lock_timeout_at = statement_timestamp() - interval '1 millisecond'
    from due d
   where t.id = d.id
  returning t.id, t.queue, t.type, t.locked_by, t.lease_epoch, t.locked_at, t.lock_timeout_at,
            t.attempts - coalesce(t.uncharged, 0) as attempts, t.zombie_count, d.last_beat_at, d.witness_gone_at)
insert into konduit_task_incident
       (task_id, queue, type, classification, action, actor, previous_owner, lease_epoch, lease_started_at, lease_ended_at,
        detected_at, detection_delay_ms, attempts, zombie_count, witness_gone_at, last_beat_at)
select id, queue, type, 'WORKER_GONE', 'LEASE_ENDED', :actor, locked_by, lease_epoch, locked_at, lock_timeout_at,
       statement_timestamp(), greatest(0, (extract(epoch from statement_timestamp() - witness_gone_at) * 1000)::bigint),
       attempts, zombie_count, witness_gone_at, last_beat_at
  from ended
returning task_id, previous_owner
