-- K3: a living worker without its session says so in another one. From here on its leases alone decide.
update konduit_worker
   set witness = null, witness_gone_at = null, witness_term = :term
 where id = :worker and (witness_term is null or witness_term <= :term)
