-- O2: what a reclaim would take back now, oldest first, and what would become of it. Changes nothing.
select t.id, t.queue, t.type, t.locked_by, t.lease_epoch, t.locked_at, coalesce(t.lock_timeout_at, t.created_at) as lock_timeout_at, t.zombie_count,
       case when not t.reapable then 'NOT_REAPABLE'
            when t.zombie_count + 1 - t.zombie_base >= :quarantineAfter then 'QUARANTINED' end as hold_reason
  from konduit_task t
 where t.status = 'RUNNING'
   and coalesce(t.lock_timeout_at, t.created_at) < statement_timestamp() - :graceMs * interval '1 millisecond'
 order by coalesce(t.lock_timeout_at, t.created_at), t.id
 limit :most
