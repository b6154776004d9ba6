-- T15, R1: one small batch that never waits, where slots are not truncated. Rows lie in the order in which they ended, so it
-- starts after the rows that earlier batches have deleted: reading dead rows again would cost more with each batch. Errors
-- are deleted with their task.
-- slot: of the rows that came with an old snapshot after it was closed, those stay that are not old enough themselves.
-- reached: everything up to it is deleted. Null if the first row was kept.
with examined as materialized (
  select h.ctid as place, h.finished_at <= greatest(c.closed_at, statement_timestamp() - :keepMs * interval '1 millisecond') as expired
    from {{slot-*}} h
   cross join (select max(s.closed_at) as closed_at from konduit_history_slot s where s.slot = :slot::smallint) c
   where h.ctid > :after::tid
   limit :limit),
old as materialized (
  select h.ctid as place, h.id
    from {{slot-*}} h
   where h.ctid = any (array(select x.place from examined x where x.expired))
     for update skip locked),
errors as (
  delete from konduit_task_error where task_id = any (array(select old.id from old))),
gone as (
  delete from {{slot-*}} h
   where h.ctid = any (array(select old.place from old))
  returning h.ctid)
select (select count(*) from gone) as removed,
       count(*) = :limit and bool_and(x.expired) as more,
       max(x.place)::text as last,
       (max(x.place) filter (where x.place < coalesce(
         (select min(k.place) from (select y.place from examined y except select old.place from old) k),
         '(4294967295,65535)'::tid)))::text as reached
  from examined x
