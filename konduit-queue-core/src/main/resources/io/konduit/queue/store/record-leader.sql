-- E4: the lock is in the application's own store, so the leader records here that it leads.
insert into konduit_chore (name, last_pass_at, worker, valid_until)
values (:name, statement_timestamp(), :worker, statement_timestamp() + :ttlMs * interval '1 millisecond')
on conflict (name) do update set last_pass_at = excluded.last_pass_at, worker = excluded.worker, valid_until = excluded.valid_until
