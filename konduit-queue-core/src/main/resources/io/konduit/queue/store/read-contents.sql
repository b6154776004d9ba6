-- Payloads and checkpoints, for callers with access to them. Values larger than maxBytes are left out.
select t.id, t.payload_size, t.checkpoint_size,
       case when t.payload_size <= :maxBytes then t.payload::text end as payload,
       case when t.checkpoint_size <= :maxBytes then t.checkpoint::text end as checkpoint
  from unnest(:ids::bigint[]) as o(id)
 cross join lateral (
   select l.id, l.payload, l.checkpoint, pg_column_size(l.payload) as payload_size,
          pg_column_size(l.checkpoint) as checkpoint_size
     from konduit_task l
    where l.id = o.id
   union all
   select h.id, h.payload, null::jsonb, pg_column_size(h.payload), null::integer
     from konduit_task_history h
    where h.id = o.id) t
