-- S14: an operator asks a worker to stop claiming; the worker learns of it with its next heartbeat. The audit row is
-- written by the same statement; asking twice changes nothing. An instance without slots claims nothing anyway.
with changed as (
  update konduit_worker
     set draining_since = statement_timestamp(), draining_by = :actor
   where id = :id and draining_since is null and concurrency > 0
  returning id)
insert into konduit_audit (at, actor, action, target, changed, note)
select statement_timestamp(), :actor, 'DRAIN', id::text, 1, :note
  from changed
