-- The workers that are there, the latest heard of first. One row per instance; retention removes those long gone.
-- STALE is told by the last beat: whoever would mark the row may be the one that fell silent.
select w.id, w.name, w.host, w.pid, w.version, w.queues, w.concurrency, w.started_at, w.last_beat_at,
       case when w.last_beat_at < statement_timestamp() - :staleMs * interval '1 millisecond' then 'STALE' else 'ACTIVE' end as status,
       extract(epoch from clock_timestamp() - w.last_beat_at) as silent_seconds
  from konduit_worker w
 order by w.last_beat_at desc
 limit :most
