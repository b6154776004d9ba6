-- Queues that nobody serves: STALE is told by the last beat, as in list-workers.
select q.name
  from unnest(:queues::text[]) as q(name)
 where not exists (
   select
     from konduit_worker w
    where q.name = any (w.queues) and w.last_beat_at >= statement_timestamp() - :staleMs * interval '1 millisecond')
