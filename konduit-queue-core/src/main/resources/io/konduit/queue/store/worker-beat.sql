-- H1, H2: a beat makes a stale worker active again, and brings back a row that was removed. It also brings the
-- database's clock and start time, by which the worker notices outages and clock jumps (H10).
insert into konduit_worker (id, name, host, pid, version, queues, concurrency, status, started_at, last_beat_at)
values (:id, :name, :host, :pid, :version, :queues::text[], :concurrency, 'ACTIVE', statement_timestamp(), statement_timestamp())
on conflict (id) do update set status = 'ACTIVE', last_beat_at = statement_timestamp()
returning clock_timestamp() as moment, pg_postmaster_start_time() as started_at
