-- K1: the witnesses that sessions of this database hold now: advisory locks (the oid of konduit_worker, the worker's number).
-- pg_locks shows the number unsigned.
select l.objid::bigint as witness
  from pg_locks l
 where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
   and l.classid = 'konduit_worker'::regclass::oid
   and l.database = (select d.oid from pg_database d where d.datname = current_database())
