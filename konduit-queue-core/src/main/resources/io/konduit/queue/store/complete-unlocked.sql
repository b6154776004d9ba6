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
      where {{mine}}
        for update skip locked) l),
gone as (
  delete from konduit_task t
   where t.id = any (array(select locked.id from locked))
  returning {{kept-values}}),
written as (
  insert into konduit_task_history ({{kept-columns}}, status, finished_at, slot)
  select {{kept-columns}}, 'COMPLETED', statement_timestamp(), {{open-slot}}
    from gone
  returning id)
select o.id, w.id is not null as written, m.id is not null as mine
  from outcome o
  left join written w on w.id = o.id
  {{still-mine}}
