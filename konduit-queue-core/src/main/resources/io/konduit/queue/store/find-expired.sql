-- L2: every running row is read through its partial index: there are never more than all workers have slots.
-- :moment is what the database's clock said when the pass began: a jump of the clock since then ends no lease.
-- Oldest first, page by page: rows that cannot be taken now must not hide later ones.
-- A running row without an end of its lease, which only a repair by hand can leave, counts as ended since its creation.
select t.id, t.lock_timeout_at
  from (select id, coalesce(lock_timeout_at, created_at) as lock_timeout_at from konduit_task where status = 'RUNNING') t
 where t.lock_timeout_at < least(:moment::timestamptz, statement_timestamp()) - :graceMs * interval '1 millisecond'
   and (t.lock_timeout_at, t.id) > (:afterTime::timestamptz, :afterId)
 order by t.lock_timeout_at, t.id
 limit :most
