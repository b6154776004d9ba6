-- H10: the server's time, its start time and its timeline.
select clock_timestamp() as server_time, pg_postmaster_start_time() as started_at, konduit_timeline() as timeline,
       null::bigint as beats
