-- Leases in this worker's name that began after another one, by microseconds since 1970. Runs only after a claim
-- without a reply. It reads the running rows through their partial index, as the reaper does.
select t.id, t.lease_epoch, t.zombie_count, (extract(epoch from t.locked_at) * 1000000)::bigint as claimed_at_us
  from konduit_task t
 where t.status = 'RUNNING' and t.locked_by = :worker
   and t.locked_at > coalesce(timestamptz 'epoch' + :afterUs::bigint * interval '1 microsecond', '-infinity')
