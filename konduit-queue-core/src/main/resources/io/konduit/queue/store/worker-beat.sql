-- H1, H2: a heartbeat makes a stale worker active again and restores its deleted row. It returns the database's time
-- and start time, by which the worker detects outages and clock jumps (H10). The timeline and the number of heartbeats
-- show whether commits were lost. draining_by says whether the worker must drain (S14). next_schedule_ms says when the
-- next schedule is due, so that nobody has to ask whether there are any (P9): one probe of an index.
insert into konduit_worker as w (id, name, host, pid, version, application_version, queues, concurrency, status,
                                 started_at, last_beat_at, beats, schedules)
values (:id, :name, :host, :pid, :version, :applicationVersion, :queues::text[], :concurrency, 'ACTIVE',
        statement_timestamp(), statement_timestamp(), 1, :schedules::text[])
on conflict (id) do update set status = 'ACTIVE', last_beat_at = statement_timestamp(), beats = coalesce(w.beats, 0) + 1
returning clock_timestamp() as server_time, pg_postmaster_start_time() as started_at, konduit_timeline() as timeline, w.beats, w.draining_by,
          (select (extract(epoch from min(s.next_at) - clock_timestamp()) * 1000)::bigint
             from konduit_schedule s
            where s.pause_reason is null) as next_schedule_ms
