-- H1, H2: a beat makes a stale worker active again, and brings back a row that was removed.
insert into konduit_worker (id, name, host, pid, version, queues, concurrency, status, started_at, last_beat_at)
values (:id, :name, :host, :pid, :version, :queues::text[], :concurrency, 'ACTIVE', clock_timestamp(), clock_timestamp())
on conflict (id) do update set status = 'ACTIVE', last_beat_at = clock_timestamp()
