-- H1, H2: a heartbeat makes a stale worker active again and restores its deleted row. It returns the database's time
-- and start time, by which the worker detects outages and clock jumps (H10). The timeline and the number of heartbeats
-- show whether commits were lost. draining_by says whether the worker must drain (S14).
insert into konduit_worker as w (id, name, host, pid, version, application_version, queues, concurrency, status,
                                 started_at, last_beat_at, beats)
values (:id, :name, :host, :pid, :version, :applicationVersion, :queues::text[], :concurrency, 'ACTIVE',
        statement_timestamp(), statement_timestamp(), 1)
on conflict (id) do update set status = 'ACTIVE', last_beat_at = statement_timestamp(), beats = coalesce(w.beats, 0) + 1
returning clock_timestamp() as server_time, pg_postmaster_start_time() as started_at, konduit_timeline() as timeline, w.beats, w.draining_by
