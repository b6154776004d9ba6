-- R1: the slots of history, those in use in the order in which they were opened. present and truncatable: somebody may have
-- dropped the partition, and this user may lack the right.
select s.slot, s.turn, extract(epoch from statement_timestamp() - s.opened_at) * 1000 as open_ms,
       extract(epoch from statement_timestamp() - s.closed_at) * 1000 as closed_ms, c.oid is not null as present,
       coalesce(has_table_privilege(c.oid, 'truncate'), false) as truncatable
  from konduit_history_slot s
  left join (pg_inherits i join pg_class c on c.oid = i.inhrelid)
    on i.inhparent = to_regclass('konduit_task_history') and c.relname ~ ('_' || s.slot || '$')
 order by s.turn, s.slot
