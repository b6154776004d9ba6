-- E4: the lock is in a store of the application's own, so the leader says here that it leads.
insert into konduit_chore (name, last_pass_at, worker, valid_until)
values (:name, statement_timestamp(), :worker, statement_timestamp() + :ttlMs * interval '1 millisecond')
on conflict (name) do update set last_pass_at = excluded.last_pass_at, worker = excluded.worker, valid_until = excluded.valid_until
