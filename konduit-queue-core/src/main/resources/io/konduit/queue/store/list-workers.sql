-- The workers that are there, the latest heard of first. One row per instance; retention removes those long gone.
select id, name, host, pid, version, queues, concurrency, status, started_at, last_beat_at,
       extract(epoch from clock_timestamp() - last_beat_at) as silent_seconds
  from konduit_worker
 order by status, last_beat_at desc
 limit :most
