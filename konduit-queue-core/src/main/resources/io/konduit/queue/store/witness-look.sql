-- K1: which witnesses are gone, and for how long. The first instance that sees this records the time, and a lock that is held again clears
-- it. Both are rare, so the usual check writes nothing. A witness counts only on the server that held its lock:
-- a restart and a failover free all of them at once (K4). The recorded time is never before the locks were read, however long this
-- statement waited: the worker counts the grace from its last round trip. It is of the take that was checked, not of a later one.
-- Never waits for a locked row: the next check records it, and the other workers do not suffer. While no task runs there is nothing
-- to end, and the locks are not read.
with held as materialized (
  {{held-witnesses}}),
seen as materialized (
  select w.id, w.witness_gone_at, w.witness_term, w.witness_grace_ms, h.witness is null as gone, clock_timestamp() as seen_at
    from konduit_worker w
    left join held h on h.witness = (w.witness::bigint & 4294967295)
   where w.witness is not null and w.witness_server = pg_postmaster_start_time()
     -- the least id rather than any row: no plan reads the table for it, whatever its statistics say
     and (select min(t.id) from konduit_task t where t.status = 'RUNNING') is not null),
changed as materialized (
  select w.id, case when s.gone then s.seen_at end as gone_at
    from konduit_worker w
    join seen s on s.id = w.id
   where s.gone = (s.witness_gone_at is null) and w.witness_gone_at is not distinct from s.witness_gone_at
     and w.witness_term is not distinct from s.witness_term
     for no key update of w skip locked),
noted as (
  update konduit_worker w
     set witness_gone_at = c.gone_at
    from changed c
   where w.id = c.id
  returning w.id)
select s.id, s.gone, s.witness_grace_ms,
       case when s.gone
            then (extract(epoch from statement_timestamp() - coalesce(s.witness_gone_at, statement_timestamp())) * 1000)::bigint
       end as gone_ms,
       clock_timestamp() as server_time, pg_postmaster_start_time() as started_at, konduit_timeline() as timeline, null::bigint as beats
  from seen s
