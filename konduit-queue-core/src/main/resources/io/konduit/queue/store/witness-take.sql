-- K1: sent on the listening session, which then holds the lock. Shared, so that an older session of this worker that the server has not yet
-- closed does not block it. The row is changed after the lock is held, so that no instance can see a worker
-- with a witness whose lock is free. If the server executes this after the worker has given up on it and renounced, it changes nothing: its
-- term is over. The notification tells the instances that look for missing witnesses only now and then: this worker may hold leases already.
with held as materialized (
  select pg_try_advisory_lock_shared(('konduit_worker'::regclass::oid::bigint)::bit(32)::integer, :witness) as held, pg_notify(:busyChannel, 'busy') as announced)
update konduit_worker
   set witness = :witness, witness_at = statement_timestamp(), witness_server = pg_postmaster_start_time(), witness_gone_at = null,
       witness_grace_ms = :graceMs, witness_term = :term
 where id = :worker and (witness_term is null or witness_term <= :term) and (select held from held)
