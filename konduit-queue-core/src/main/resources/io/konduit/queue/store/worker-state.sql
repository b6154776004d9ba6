-- Why a worker could not be drained or resumed.
select case when concurrency = 0 then 'CHORES_ONLY' when draining_since is not null then 'DRAINING' else 'ACTIVE' end
  from konduit_worker
 where id = :id
