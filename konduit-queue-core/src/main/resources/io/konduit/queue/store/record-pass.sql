insert into konduit_chore (name, last_pass_at, worker)
values (:name, clock_timestamp(), :worker)
on conflict (name) do update set last_pass_at = clock_timestamp(), worker = :worker
