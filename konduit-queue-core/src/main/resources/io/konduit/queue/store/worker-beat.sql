-- H1, H2: a beat makes a stale worker active again, and brings back a row that was removed. It also brings the
-- database's clock and start time, by which the worker notices outages and clock jumps (H10), and its timeline and the
-- number of beats, by which it notices that commits were lost. And whether somebody has told it to drain (S14).
insert into konduit_worker as w (id, name, host, pid, version, application_version, queues, concurrency, status,
                                 started_at, last_beat_at, beats)
values (:id, :name, :host, :pid, :version, :applicationVersion, :queues::text[], :concurrency, 'ACTIVE',
        statement_timestamp(), statement_timestamp(), 1)
on conflict (id) do update set status = 'ACTIVE', last_beat_at = statement_timestamp(), beats = coalesce(w.beats, 0) + 1
returning clock_timestamp() as moment, pg_postmaster_start_time() as started_at, konduit_timeline() as timeline, w.beats, w.draining_by
