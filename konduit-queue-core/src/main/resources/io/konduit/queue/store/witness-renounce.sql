-- K3: a live worker without its listening session reports that in another session. From then on, only its leases decide.
update konduit_worker
   set witness = null, witness_gone_at = null, witness_term = :term
 where id = :worker and (witness_term is null or witness_term <= :term)
