-- K1: sent on the listening session, which then holds the lock. Shared: an older session of this worker that the server has
-- not missed yet does not stand in its way. The row is changed after the lock is held, so that no instance can see a worker
-- with a witness whose lock is free.
with held as materialized (
  select pg_try_advisory_lock_shared(('konduit_worker'::regclass::oid::bigint)::bit(32)::integer, :witness) as held)
update konduit_worker
   set witness = :witness, witness_at = statement_timestamp(), witness_server = pg_postmaster_start_time(), witness_gone_at = null
 where id = :worker and (select held from held)
