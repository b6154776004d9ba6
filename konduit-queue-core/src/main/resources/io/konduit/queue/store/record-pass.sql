insert into konduit_chore (name, last_pass_at, worker)
values (:name, statement_timestamp(), :worker)
on conflict (name) do update set last_pass_at = statement_timestamp(), worker = :worker
