-- T4 for a batch that met a locked row: completes the tasks that are not locked elsewhere. Locking first writes each
-- row once more, so this is not the default. A row that is still ours and was not written is locked.
with outcome as materialized (
  select o.id, o.lease_epoch
    from unnest(:ids::bigint[], :epochs::bigint[]) as o(id, lease_epoch)
   order by o.id),
locked as materialized (
  select l.id
    from outcome o
   cross join lateral (
     select t.id
       from konduit_task t
      where t.id = o.id and t.lease_epoch = o.lease_epoch and t.locked_by = :worker and t.status = 'RUNNING'
        for update skip locked) l),
gone as (
  delete from konduit_task t
   where t.id = any (array(select locked.id from locked))
  returning t.id, t.queue, t.type, t.payload, t.priority, t.run_at, t.attempts - coalesce(t.uncharged, 0) as attempts,
            t.max_attempts - coalesce(t.uncharged, 0) as max_attempts, t.reapable, t.zombie_count,
            t.lease_epoch, t.locked_by, t.locked_at, t.last_checkpoint_at, t.unique_key, t.last_error, t.created_at),
written as (
  insert into konduit_task_history
         (id, queue, type, payload, priority, status, run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch,
          locked_by, locked_at, last_checkpoint_at, unique_key, last_error, created_at, finished_at)
  select id, queue, type, payload, priority, 'COMPLETED', run_at, attempts, max_attempts, reapable, zombie_count, lease_epoch,
         locked_by, locked_at, last_checkpoint_at, unique_key, last_error, created_at, statement_timestamp()
    from gone
  returning id)
select o.id, w.id is not null as written, m.id is not null as mine
  from outcome o
  left join written w on w.id = o.id
  {{still-mine}}
