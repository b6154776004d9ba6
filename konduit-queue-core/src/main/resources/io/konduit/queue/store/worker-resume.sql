-- S14: an operator lets a draining worker claim again. The audit row is written by the same statement.
with changed as (
  update konduit_worker
     set draining_since = null, draining_by = null
   where id = :id and draining_since is not null
  returning id)
insert into konduit_audit (at, actor, action, target, changed, note)
select statement_timestamp(), :actor, 'RESUME', id::text, 1, :note
  from changed
