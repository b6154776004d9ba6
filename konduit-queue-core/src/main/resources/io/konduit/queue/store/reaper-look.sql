-- H10, L8: the server's time, its start time and its timeline, as in server-time, and how long until the earliest lease ends: negative when
-- it has, null when nothing runs. Usually this is all that a pass of the reaper asks.
select clock_timestamp() as server_time, pg_postmaster_start_time() as started_at, konduit_timeline() as timeline,
       null::bigint as beats,
       (select (extract(epoch from min(t.lock_timeout_at) - statement_timestamp()) * 1000)::bigint
          from konduit_task t
         where t.status = 'RUNNING') as next_expiry_ms
