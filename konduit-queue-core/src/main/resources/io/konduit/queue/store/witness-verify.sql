-- K3: a round trip of the listening session. False when the worker's row was removed and came back without its witness.
select exists (select from konduit_worker where id = :worker and witness is not null and witness_gone_at is null)
