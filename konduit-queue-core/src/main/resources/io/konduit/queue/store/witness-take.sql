-- K1: sent on the listening session, which then holds the lock. Shared: an older session of this worker that the server has
-- not missed yet does not stand in its way. The row is changed after the lock is held, so that no instance can see a worker
-- with a witness whose lock is free. A take that the server carries out after the worker has given it up and renounced
-- changes nothing: its term is over.
with held as materialized (
  select pg_try_advisory_lock_shared(('konduit_worker'::regclass::oid::bigint)::bit(32)::integer, :witness) as held)
update konduit_worker
   set witness = :witness, witness_at = statement_timestamp(), witness_server = pg_postmaster_start_time(), witness_gone_at = null,
       witness_grace_ms = :graceMs, witness_term = :term
 where id = :worker and (witness_term is null or witness_term <= :term) and (select held from held)
