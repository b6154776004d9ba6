-- Why a worker could not be told to drain or to resume.
select case when concurrency = 0 then 'CHORES_ONLY' when draining_since is not null then 'DRAINING' else 'ACTIVE' end
  from konduit_worker
 where id = :id
