-- H10: what the database's clock says, since when the server is up, and on which timeline.
select clock_timestamp() as moment, pg_postmaster_start_time() as started_at, konduit_timeline() as timeline,
       null::bigint as beats
