-- K3: a living worker without its session says so in another one. From here on its leases alone decide.
update konduit_worker set witness = null, witness_gone_at = null where id = :worker and witness is not null
