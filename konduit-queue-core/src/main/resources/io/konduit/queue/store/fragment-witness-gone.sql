-- K1, K4: the worker has a witness of this server, and no session holds it.
w.witness is not null and w.witness_server = pg_postmaster_start_time()
  and not exists (select from ({{held-witnesses}}) h where h.witness = (w.witness::bigint & 4294967295))
