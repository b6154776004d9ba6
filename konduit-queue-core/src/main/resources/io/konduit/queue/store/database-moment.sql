-- H10: what the database's clock says and since when the server is up.
select clock_timestamp() as moment, pg_postmaster_start_time() as started_at
