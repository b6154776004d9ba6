-- T15, R1: one small batch that never waits. Errors are deleted with their task.
with old as materialized (
  select id
    from konduit_task
   where status = 'FAILED' and finished_at < statement_timestamp() - :keepMs * interval '1 millisecond'
   order by finished_at, id
   limit :limit
     for update skip locked),
errors as (
  delete from konduit_task_error where task_id = any (array(select old.id from old)))
delete from konduit_task where id = any (array(select old.id from old))
