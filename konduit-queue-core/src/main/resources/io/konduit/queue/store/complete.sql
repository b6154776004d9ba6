-- T4: deleted from the hot table and kept in history by one statement. An id that is not returned was not completed by
-- it. No locks are taken first: that would write every row once more. The statement waits for a row that is locked
-- elsewhere, for at most lockTimeout (null: the session's setting), and then checks the whole condition again on the
-- new version. The limit is set before the first row is touched and ends with the transaction.
-- One index probe per id, and no join, which could read every running row. The ids are sorted, so width_bucket finds
-- the index of an id in the array, and its epoch has the same index.
with gone as (
  delete from konduit_task t
   where t.id = any (:ids::bigint[]) and t.lease_epoch = (:epochs::bigint[])[width_bucket(t.id, :ids::bigint[])]
     and t.status = 'RUNNING' and t.locked_by = :worker
     and (select set_config('lock_timeout', coalesce(:lockTimeout::text, current_setting('lock_timeout')), true)) is not null
  returning {{kept-values}})
insert into konduit_task_history ({{kept-columns}}, status, finished_at, slot)
select {{kept-columns}}, 'COMPLETED', statement_timestamp(), {{open-slot}}
  from gone
returning id
