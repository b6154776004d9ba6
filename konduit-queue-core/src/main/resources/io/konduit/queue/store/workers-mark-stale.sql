-- H2, H3: for operators and metrics only; no task is touched.
update konduit_worker
   set status = 'STALE'
 where status = 'ACTIVE' and last_beat_at < statement_timestamp() - :thresholdMs * interval '1 millisecond'
returning id, name, host, pid, (extract(epoch from statement_timestamp() - last_beat_at) * 1000)::bigint as silent_ms
