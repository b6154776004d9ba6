-- S13: what cleaning up abandoned leases would take away now, and what would become of it. Changes nothing.
select t.id, t.queue, t.type, t.locked_by, t.lease_epoch, t.locked_at, t.lock_timeout_at, t.zombie_count,
       case when not t.reapable then 'NOT_REAPABLE'
            when t.zombie_count + 1 - t.zombie_base >= :quarantineAfter then 'QUARANTINED' end as hold_reason
  from konduit_task t
 where t.status = 'RUNNING'
   and greatest(t.locked_at, t.last_checkpoint_at) < statement_timestamp() - :thresholdMs * interval '1 millisecond'
 order by t.id
 limit :most
