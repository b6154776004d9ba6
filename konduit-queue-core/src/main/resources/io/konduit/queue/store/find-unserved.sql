-- Queues that no worker serves. STALE is derived from the last heartbeat, as in list-workers.
select q.name
  from unnest(:queues::text[]) as q(name)
 where not exists (
   select
     from konduit_worker w
    where q.name = any (w.queues) and w.last_beat_at >= statement_timestamp() - :staleMs * interval '1 millisecond')
