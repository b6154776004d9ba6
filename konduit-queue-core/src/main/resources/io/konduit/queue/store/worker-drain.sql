-- S14: a person tells a worker to claim nothing more; it hears of it with its next beat. The audit row is written by the same
-- statement; telling it twice changes nothing. An instance without slots claims nothing anyway.
with told as (
  update konduit_worker
     set draining_since = statement_timestamp(), draining_by = :actor
   where id = :id and draining_since is null and concurrency > 0
  returning id)
insert into konduit_audit (at, actor, action, target, changed, note)
select statement_timestamp(), :actor, 'DRAIN', id::text, 1, :note
  from told
