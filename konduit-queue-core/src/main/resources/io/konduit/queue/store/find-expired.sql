-- L2: every running row is read through its partial index: there are never more than all workers have slots.
-- :moment is what the database's clock said when the pass began: a jump of the clock since then ends no lease.
-- Oldest first, page by page: rows that cannot be taken now must not hide later ones.
select t.id, t.lock_timeout_at
  from konduit_task t
 where t.status = 'RUNNING'
   and t.lock_timeout_at < least(:moment::timestamptz, statement_timestamp()) - :graceMs * interval '1 millisecond'
   and (t.lock_timeout_at, t.id) > (:afterTime::timestamptz, :afterId)
 order by t.lock_timeout_at, t.id
 limit :most
