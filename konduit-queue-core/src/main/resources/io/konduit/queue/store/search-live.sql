-- O1: tasks that have not ended, newest first. There is no index by type, on purpose: it would cost every enqueue. So one
-- page looks at :examine rows at most, by primary key, and tells how far it came.
with examined as materialized (
  select t.id, t.queue, t.type, t.status, t.priority, t.run_at, t.attempts - coalesce(t.uncharged, 0) as attempts,
         t.max_attempts - coalesce(t.uncharged, 0) as max_attempts, t.reapable, t.zombie_count,
         t.lease_epoch, t.locked_by, t.locked_at, t.lock_timeout_at, t.last_checkpoint_at, t.hold_reason, t.unique_key,
         t.created_at, t.finished_at, null::timestamptz as place
    from konduit_task t
   where t.id < :beforeId
   order by t.id desc
   limit :examine),
matched as (
  select e.*
    from examined e
   where (:type::text is null or e.type = :type)
     and (:queue::text is null or e.queue = :queue)
     and (:key::text is null or e.unique_key = :key)
     and (:status::text is null or e.status = :status)
   order by e.place desc nulls first, e.id desc
   limit :most)
select x.examined, x.last_place, x.last_id,
       m.id, m.queue, m.type, m.status, m.priority, m.run_at, m.attempts, m.max_attempts, m.reapable, m.zombie_count,
       m.lease_epoch, m.locked_by, m.locked_at, m.lock_timeout_at, m.last_checkpoint_at, m.hold_reason, m.unique_key,
       m.created_at, m.finished_at
  from (select count(*) as examined,
               (array_agg(l.place order by l.place, l.id))[1] as last_place,
               (array_agg(l.id order by l.place, l.id))[1] as last_id
          from examined l) x
  left join matched m on true
 order by m.place desc nulls first, m.id desc
